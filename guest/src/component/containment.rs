//! The part of the border that is about calls of tools.

use super::bindings::exports::winter::runtime::containment as wit;
use super::{Component, all, same, same_record};
use crate::containment;

impl wit::Guest for Component {
    fn targets(places: wit::Places) -> Vec<wit::Target> {
        all(containment::targets(&places.into()))
    }

    fn decide(call: wit::Call, targets: Vec<wit::Target>) -> Option<wit::Refused> {
        let targets: Vec<containment::Target> = all(targets);
        containment::decide(&call.into(), &targets).map(Into::into)
    }

    fn hook_call(input: String, user_home: Option<String>) -> Result<wit::Call, String> {
        containment::hook_call(&input, user_home.as_deref()).map(Into::into)
    }

    fn approve(protected: bool, broker: wit::Broker) -> wit::Approval {
        containment::approve(protected, broker.into()).into()
    }
}

same!(wit::Access => containment::Access { Read, Write, Any });
same!(containment::Access => wit::Access { Read, Write, Any });
same!(wit::Broker => containment::Broker { Absent, TimedOut, Malformed, Allows, Denies });
same!(containment::Approval => wit::Approval { Allow, DenyProtected, DenyByBroker, DenyUnanswered });
same_record!(wit::Call => containment::Call { tool, input, cwd, user_home });
same_record!(containment::Call => wit::Call { tool, input, cwd, user_home });
same_record!(wit::Places => containment::Places { home, shared_home, global_file });
same_record!(wit::Target => containment::Target { id, path, inside, access + into, why });
same_record!(containment::Target => wit::Target { id, path, inside, access + into, why });
same_record!(containment::Refused => wit::Refused { id, reason });
