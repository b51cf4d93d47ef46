//! The contract's answers as JSON, with the contract's own names.

mod review;

pub use review::{review, tip};
use serde_json::{Value, json};

use crate::contract::catalog::{AuthKind, Modality, Model, ReadableReasoning};
use crate::contract::run_home::{
    Admitted, DroppedImport, DroppedServer, ImportFault, Node, Place, Plan, Planned, RemovedPower, Report, SkippedAgent,
};
use crate::contract::selection::{
    Alternative, Answer, Applied, AuthFamily, Outcome, RefusedBecause, RuntimeKind, Selected,
};
use crate::contract::settings::Effective;
use crate::contract::types::{
    Dropped, LinkFault, Notice, NoticeKind, Refusal, RefusalKind, ShippedBecause, SkipReason, SkippedItem, SkippedLink,
    Tier,
};

/// A plan; file contents as text where they are text.
pub fn plan(plan: &Plan) -> Value {
    json!({
        "run-id": plan.run_id,
        "dir": plan.dir,
        "sdk-home": plan.sdk_home,
        "entries": list(&plan.entries, planned),
        "shared-folders": plan.shared_folders,
        "mcp-config": plan.mcp_config.as_ref().map(|config| json!({"entry": config.entry, "strict": config.strict})),
        "effective-settings": plan.effective_settings,
        "manifest": plan.manifest,
        "report": report(&plan.report),
    })
}

/// A report.
pub fn report(report: &Report) -> Value {
    json!({
        "dropped-rules": list(&report.dropped_rules, dropped),
        "removed-powers": list(&report.removed_powers, removed_power),
        "dropped-mcp-servers": list(&report.dropped_mcp_servers, dropped_server),
        "dropped-imports": list(&report.dropped_imports, dropped_import),
        "skipped-agents": list(&report.skipped_agents, skipped_agent),
        "skipped-links": list(&report.skipped_links, skipped_link),
        "skipped-items": list(&report.skipped_items, skipped_item),
        "unconditional-rules": list(&report.unconditional_rules, |rule| json!({"path": rule.path, "entry": rule.entry})),
        "external-user-links": list(&report.external_user_links, |link| {
            json!({"path": link.path, "target": link.target, "granted": link.granted})
        }),
        "notices": list(&report.notices, notice),
    })
}

/// What settings files came to.
pub fn effective(effective: &Effective) -> Value {
    json!({
        "json": effective.json,
        "dropped": list(&effective.dropped, dropped),
        "skipped": list(&effective.skipped, skipped_item),
        "notices": list(&effective.notices, notice),
    })
}

/// A refusal.
pub fn refusal(refusal: &Refusal) -> Value {
    let kind = match refusal.kind {
        RefusalKind::BadInput => "bad-input",
        RefusalKind::LegRefused => "leg-refused",
        RefusalKind::UnusableSettings => "unusable-settings",
        RefusalKind::Inexpressible => "inexpressible",
        RefusalKind::Denied => "denied",
        RefusalKind::Io => "io",
    };
    json!({
        "kind": kind,
        "message": refusal.message,
        "help": refusal.help,
        "source": refusal.source,
        "line": refusal.line,
        "column": refusal.column,
    })
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Value) -> Value {
    items.iter().map(one).collect()
}

fn planned(planned: &Planned) -> Value {
    let node = match &planned.node {
        Node::Directory => json!("directory"),
        Node::Content(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => json!({"content": text}),
            Err(_) => json!({"content": bytes}),
        },
        Node::Link(target) => json!({"link": target}),
        Node::Copy(source) => json!({"copy": admitted(source)}),
        Node::Splice(splice) => {
            let head = match std::str::from_utf8(&splice.head) {
                Ok(text) => json!(text),
                Err(_) => json!(splice.head),
            };
            json!({"splice": {"head": head, "source": admitted(&splice.source), "offset": splice.offset}})
        }
    };
    json!({"path": planned.path, "node": node, "mode": planned.mode, "source": planned.source})
}

fn admitted(admitted: &Admitted) -> Value {
    let place = match admitted.place {
        Place::SharedHome => "shared-home",
        Place::TrustedRoot => "trusted-root",
        Place::GitTop => "git-top",
        Place::Cwd => "cwd",
    };
    let identity = json!({
        "device": admitted.identity.device,
        "inode": admitted.identity.inode,
        "size": admitted.identity.size,
        "changed-ns": admitted.identity.changed_ns,
    });
    json!({"place": place, "path": admitted.path, "identity": identity})
}

/// Why an import was not taken in.
pub fn import_fault(fault: ImportFault) -> &'static str {
    match fault {
        ImportFault::OutsideRoot => "outside-root",
        ImportFault::NotGranted => "not-granted",
        ImportFault::Cycle => "cycle",
        ImportFault::TooDeep => "too-deep",
        ImportFault::TooMany => "too-many",
        ImportFault::Unreadable => "unreadable",
    }
}

fn dropped_import(import: &DroppedImport) -> Value {
    json!({
        "file": import.file,
        "line": import.line,
        "target": import.target,
        "reason": import_fault(import.reason),
        "detail": import.detail,
    })
}

fn dropped_server(server: &DroppedServer) -> Value {
    json!({
        "name": server.name,
        "scope": tier(server.scope),
        "source": server.source,
        "line": server.line,
        "reason": server.reason,
        "detail": server.detail,
    })
}

fn removed_power(power: &RemovedPower) -> Value {
    json!({
        "file": power.file,
        "line": power.line,
        "carrier": power.carrier,
        "value": power.value,
        "reason": power.reason,
    })
}

fn skipped_agent(agent: &SkippedAgent) -> Value {
    json!({"path": agent.path, "line": agent.line, "column": agent.column, "detail": agent.detail})
}

/// The name of a tier.
pub fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::User => "user",
        Tier::Project => "project",
        Tier::Local => "local",
    }
}

/// Why a local file counts as the repository's.
pub fn because(because: ShippedBecause) -> &'static str {
    match because {
        ShippedBecause::Index => "index",
        ShippedBecause::Head => "head",
        ShippedBecause::Link => "link",
        ShippedBecause::Unsupported => "unsupported",
        ShippedBecause::TimedOut => "timed-out",
        ShippedBecause::Failed => "failed",
    }
}

/// Why an item was left out.
pub fn skip_reason(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Unusable => "unusable",
        SkipReason::NotRegular => "not-regular",
        SkipReason::TooLarge => "too-large",
        SkipReason::Changed => "changed",
        SkipReason::Unreadable => "unreadable",
        SkipReason::NotRead => "not-read",
        SkipReason::NotCarried => "not-carried",
        SkipReason::NotUtf8 => "not-utf8",
        SkipReason::TooMany => "too-many",
        SkipReason::Collision => "collision",
        SkipReason::NestedNotCarried => "nested-not-carried",
        SkipReason::PathsOutsideCwd => "paths-outside-cwd",
        SkipReason::NotGranted => "not-granted",
    }
}

/// Why a link was not followed.
pub fn link_fault(fault: LinkFault) -> &'static str {
    match fault {
        LinkFault::OutsideRoot => "outside-root",
        LinkFault::Dangling => "dangling",
        LinkFault::Loop => "loop",
    }
}

fn dropped(dropped: &Dropped) -> Value {
    json!({
        "tier": tier(dropped.tier),
        "source": dropped.source,
        "line": dropped.line,
        "rule": dropped.rule,
        "reason": dropped.reason,
        "withheld": dropped.withheld,
        "because": dropped.because.map(because),
    })
}

fn skipped_item(item: &SkippedItem) -> Value {
    json!({
        "path": item.path,
        "reason": skip_reason(item.reason),
        "detail": item.detail,
        "line": item.line,
        "column": item.column,
    })
}

fn skipped_link(link: &SkippedLink) -> Value {
    json!({"path": link.path, "target": link.target, "reason": link_fault(link.reason)})
}

/// The kind of a remark.
pub fn notice_kind(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::DuplicateKey => "duplicate-key",
        NoticeKind::ShippedLocal => "shipped-local",
        NoticeKind::NoSharedHome => "no-shared-home",
        NoticeKind::HomeIsProject => "home-is-project",
        NoticeKind::LiteralReference => "literal-reference",
        NoticeKind::Untrusted => "untrusted",
        NoticeKind::NotInSandbox => "not-in-sandbox",
        NoticeKind::InertRule => "inert-rule",
        NoticeKind::InvisibleCharacters => "invisible-characters",
    }
}

fn notice(notice: &Notice) -> Value {
    let kind = notice_kind(notice.kind);
    json!({"kind": kind, "path": notice.path, "line": notice.line, "text": notice.text})
}

/// The name of a kind of credential.
pub fn auth_kind(kind: AuthKind) -> &'static str {
    match kind {
        AuthKind::ApiKey => "api-key",
        AuthKind::Oauth => "oauth",
        AuthKind::Cloud => "cloud",
        AuthKind::Console => "console",
        AuthKind::NoneNeeded => "none-needed",
    }
}

/// The name of a way in.
pub fn auth_family(family: AuthFamily) -> &'static str {
    match family {
        AuthFamily::ApiKey => "api-key",
        AuthFamily::Oauth => "oauth",
        AuthFamily::Cloud => "cloud",
        AuthFamily::ConsoleProfile => "console-profile",
        AuthFamily::NoneNeeded => "none-needed",
    }
}

/// The name of a modality.
pub fn modality(modality: Modality) -> &'static str {
    match modality {
        Modality::Text => "text",
        Modality::Image => "image",
        Modality::Document => "document",
        Modality::Audio => "audio",
        Modality::Video => "video",
    }
}

/// How much of a model's reasoning can be read.
pub fn readable_reasoning(readable: ReadableReasoning) -> &'static str {
    match readable {
        ReadableReasoning::None => "none",
        ReadableReasoning::Summary => "summary",
        ReadableReasoning::Exposed => "exposed",
    }
}

/// The name of a runtime.
pub fn runtime(runtime: RuntimeKind) -> &'static str {
    match runtime {
        RuntimeKind::WinterAgent => "winter-agent",
        RuntimeKind::ClaudeAgent => "claude-agent",
    }
}

/// Why nothing was selected.
pub fn refused_because(reason: RefusedBecause) -> &'static str {
    match reason {
        RefusedBecause::BareModelId => "bare-model-id",
        RefusedBecause::ProviderMismatch => "provider-mismatch",
        RefusedBecause::UnknownModel => "unknown-model",
        RefusedBecause::RuntimeUnavailable => "runtime-unavailable",
        RefusedBecause::NoCredential => "no-credential",
    }
}

/// What came of a row of the table.
pub fn applied(applied: Applied) -> &'static str {
    match applied {
        Applied::Decided => "decided",
        Applied::No => "no",
        Applied::NotReached => "not-reached",
    }
}

/// A row of the catalog.
pub fn model(model: &Model) -> Value {
    json!({
        "provider": model.provider,
        "model": model.model,
        "canonical-model": model.canonical_model,
        "family": model.family,
        "protocol": model.protocol,
        "auth-views": list(&model.auth_views, |kind| auth_kind(*kind).into()),
        "context-window": model.context_window,
        "capabilities": {
            "modalities": list(&model.capabilities.modalities, |one| modality(*one).into()),
            "readable-reasoning": readable_reasoning(model.capabilities.readable_reasoning),
            "opaque-reasoning": model.capabilities.opaque_reasoning,
            "server-tools": model.capabilities.server_tools,
        },
        "facts": list(&model.facts, |fact| json!({"what": fact.what, "date": fact.date, "source": fact.source})),
    })
}

/// What came of a request for a model.
pub fn answer(answer: &Answer) -> Value {
    let outcome = match &answer.outcome {
        Outcome::Selected(one) => json!({ "selected": selected(one) }),
        Outcome::Refused(refused) => json!({"refused": {
            "reason": refused_because(refused.reason),
            "message": refused.message,
            "alternatives": list(&refused.alternatives, alternative),
        }}),
    };
    let steps = list(
        &answer.steps,
        |step| json!({"id": step.id, "when": step.when, "applied": applied(step.applied), "because": step.because}),
    );
    json!({"outcome": outcome, "steps": steps})
}

fn selected(one: &Selected) -> Value {
    json!({
        "runtime": runtime(one.runtime),
        "rule-id": one.rule_id,
        "provider": one.provider,
        "model": one.model,
        "canonical-model": one.canonical_model,
        "family": one.family,
        "auth-family": auth_family(one.auth_family),
        "credential-reference": one.credential_reference,
    })
}

fn alternative(one: &Alternative) -> Value {
    json!({
        "tag": one.tag,
        "provider": one.provider,
        "canonical-model": one.canonical_model,
        "configured": one.configured,
        "auth": list(&one.auth, |family| auth_family(*family).into()),
    })
}
