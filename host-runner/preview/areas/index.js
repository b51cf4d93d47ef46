// The tabs, in order: a new area is one file and one line here.
import acts from "./acts.js";
import containment from "./containment.js";
import door from "./door.js";
import dropped from "./dropped.js";
import explain from "./explain.js";
import plan from "./plan.js";
import selection from "./selection.js";
import settings from "./settings.js";
import switchReview from "./switch-review.js";

export const areas = [plan, settings, dropped, acts, selection, switchReview, door, containment, explain];
