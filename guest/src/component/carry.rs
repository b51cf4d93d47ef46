//! The part of the border that is about settings that come home.

use super::bindings::exports::winter::runtime::{carry as wit, types as wit_types};
use super::{Component, same, same_record};
use crate::carry;
use crate::report::Refusal;

impl wit::Guest for Component {
    fn settle(texts: wit::Texts) -> wit::Carried {
        let texts = carry::Texts {
            built: &texts.built,
            ended: texts.ended.as_deref(),
            own_before: texts.own_before.as_deref(),
            own_now: texts.own_now.as_deref(),
        };
        carry::settle(&texts).into()
    }

    fn apply(own: Option<String>, path: Vec<String>, value: Option<String>) -> Result<String, wit_types::Refusal> {
        carry::apply(own.as_deref(), &path, value.as_deref()).map_err(|error| Refusal::from(error).into())
    }

    fn stray(stands: wit::Stands, beside: wit::Beside) -> wit::Action {
        carry::stray(stands.into(), beside.into()).into()
    }
}

same!(carry::Reason => wit::Reason { NotListed, WrongShape, ChangedMeanwhile, OwnUnreadable, RunUnreadable });
same_record!(carry::Change => wit::Change { path, old, new });
same_record!(carry::Held => wit::Held { change + into, reason + into });
same_record!(carry::Carried => wit::Carried { own, applied + all, held + all });
same!(wit::Stands => carry::Stands { File, Folder, Other });
same!(wit::Beside => carry::Beside { Absent, Level, Older, Newer, NoFile });
same!(carry::Action => wit::Action { Leave, Place, Replace, Aside });
