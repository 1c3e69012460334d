//! Limits of a run.

/// Tool calls for one item; calls of todo tools are not counted, and denied calls are (requirement T10). In a turn without
/// an item, this many may be denied or refused.
pub const CALLS: u8 = 5;

/// Calls of one answer that are made; a model that wants more has lost its way.
pub const CALLS_AT_ONCE: usize = 50;

/// Answers of a turn in a row that call nothing but todo tools.
pub const LISTINGS: u8 = 20;

/// The same, without any change of the list.
pub const IDLE_LISTINGS: u8 = 10;

/// New items by one plan (T9); those that the user adds to it do not count.
pub const PLANNED: usize = 30;

/// Requests for a shorter plan.
pub const SHORTENINGS: u8 = 2;

/// Verifications that an item may fail before it is skipped.
pub const CHECKS: u8 = 3;

/// Changes of the list in a row without a call of the model.
pub(super) const CHANGES: u8 = 16;

/// Tries to set the items in progress to pending at the end of a run.
pub(super) const RELEASES: u8 = 3;
