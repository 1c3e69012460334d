//! Tokens and cost of the chats that one connection started. No total over all time is kept anywhere.

use protocol::ChatStreamEnd;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Spent {
    input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
    total_cost: f64,
    request_count: u64,
}

impl Spent {
    fn add(&mut self, more: &Self) {
        self.input_tokens += more.input_tokens;
        self.output_tokens += more.output_tokens;
        self.total_tokens += more.total_tokens;
        self.total_cost += more.total_cost;
        self.request_count += more.request_count;
    }
}

/// Tokens and dollars spent, by session and model.
#[derive(Default)]
pub(super) struct Usage(BTreeMap<(String, String), Spent>);

impl Usage {
    pub(super) fn add(&mut self, model: &str, end: &ChatStreamEnd) {
        let spent = Spent {
            input_tokens: end.usage.input_tokens,
            output_tokens: end.usage.output_tokens,
            total_tokens: end.usage.total_tokens,
            total_cost: end.cost.total_cost,
            request_count: 1,
        };
        self.0.entry((end.session_id.clone(), model.to_owned())).or_default().add(&spent);
    }

    /// Returns the report, of one session or of all.
    pub(super) fn report(&self, session_id: Option<&str>) -> Value {
        let (mut models, mut total) = (BTreeMap::<&str, Spent>::new(), Spent::default());
        for ((session, model), spent) in &self.0 {
            if session_id.is_none_or(|only| only == session) {
                models.entry(model).or_default().add(spent);
                total.add(spent);
            }
        }
        let total = json!({
            "totalCost": total.total_cost, "totalTokens": total.total_tokens, "requestCount": total.request_count,
        });
        json!({ "perModel": models, "grandTotal": total })
    }
}

#[cfg(test)]
mod tests {
    use super::Usage;
    use protocol::{ChatCost, ChatOutcome, ChatStreamEnd, ChatUsage};

    #[test]
    fn runs_are_summed_by_model_and_told_for_one_session_or_all() {
        let end = |session: &str, total_tokens, total_cost| ChatStreamEnd {
            request_id: "r".to_owned(),
            session_id: session.to_owned(),
            usage: ChatUsage { input_tokens: total_tokens - 1, output_tokens: 1, total_tokens },
            cost: ChatCost { total_cost, ..ChatCost::default() },
            outcome: ChatOutcome::Completed,
            message: String::new(),
            text: None,
        };
        let mut usage = Usage::default();
        usage.add("a:1", &end("s", 10, 0.5));
        usage.add("a:1", &end("t", 20, 0.25));
        usage.add("b:2", &end("s", 30, 0.0));
        let all = usage.report(None);
        assert_eq!((&all["grandTotal"]["totalTokens"], &all["grandTotal"]["requestCount"]), (&60.into(), &3.into()));
        assert_eq!(
            (&all["perModel"]["a:1"]["totalCost"], &all["perModel"]["a:1"]["inputTokens"]),
            (&0.75.into(), &28.into())
        );
        let one = usage.report(Some("t"));
        assert_eq!(
            (&one["grandTotal"]["totalTokens"], &one["perModel"]["b:2"]),
            (&20.into(), &serde_json::Value::Null)
        );
    }
}
