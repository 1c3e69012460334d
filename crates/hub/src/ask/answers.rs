//! The answer to each question.

use super::preview::preview;
use super::question::Question;
use protocol::{Code, Done, Error, FEED, HelloResult, PROTOCOL, Reply, Result, classes};

impl Question<'_> {
    pub(crate) fn connection(self, ask: classes::Connection<'_>) -> Reply {
        use classes::Connection::{EventsSubscribe, Hello};
        let Self { core, caller } = self;
        match ask {
            Hello(_) => Reply::Hello(HelloResult {
                protocol: PROTOCOL,
                version: core.version().to_owned(),
                cursor: core.board.cursor(),
                rights: caller.rights,
                key: caller.key.clone(),
                features: vec![FEED.to_owned()],
                time: Some(core.now()),
            }),
            EventsSubscribe(ask) => Reply::EventsSubscribe(core.board.subscribe(ask.since.as_deref(), core.moment()).0),
        }
    }

    pub(crate) async fn answer(self, ask: classes::Question<'_>) -> Result<Reply> {
        use classes::Question as Is;
        let core = self.core;
        Ok(match ask {
            Is::KeyList(_) => Reply::KeyList(self.keys()),
            Is::KeyCode(ask) => Reply::KeyCode(self.key_code(ask)?),
            Is::PermissionList(ask) => Reply::PermissionList(core.read(self.permissions(ask)).await?),
            Is::LaterList(ask) => Reply::LaterList(core.read(self.later(ask)).await?),
            Is::RuleList(_) => Reply::RuleList(self.rules()),
            Is::AuditList(ask) => Reply::AuditList(core.read(self.audit(ask)).await?),
            Is::GatewayYield(_) if core.gives_way() => Reply::GatewayYield(Done {}),
            Is::GatewayYield(_) => {
                let problem = "this gateway was started by a person and not for an agent; end it where it was started";
                return Err(Error::new(Code::Unavailable, problem));
            }
            Is::FeedChanges(ask) => Reply::FeedChanges(core.read(self.feed_changes(ask)).await?),
            Is::FeedSession(ask) => Reply::FeedSession(core.read(self.feed_session(ask)).await?),
            Is::HostsList(_) => Reply::HostsList(core.read(self.hosts()).await?),
            Is::GatewayStatus(_) => Reply::GatewayStatus(core.status()),
            Is::SettingsGet(_) => Reply::SettingsGet(core.board.settings()),
            Is::SessionList(ask) => Reply::SessionList(core.read(self.session_list(ask)).await?),
            Is::SessionGet(ask) => Reply::SessionGet(core.read(self.session_get(ask)).await?),
            Is::SessionRevisions(ask) => Reply::SessionRevisions(core.read(self.session_revisions(ask)).await?),
            Is::SessionFiles(ask) => Reply::SessionFiles(core.read(self.session_files(ask)).await?),
            Is::SessionSearch(ask) => Reply::SessionSearch(core.read(self.session_search(ask)).await?),
            Is::SessionExport(ask) => Reply::SessionExport(core.read(self.export(ask)).await?),
            Is::ArchiveLists(ask) => Reply::ArchiveLists(core.read(self.archive_lists(ask)).await?),
            Is::ArchiveStatus(ask) => Reply::ArchiveStatus(core.read(self.archive_status(ask)).await?),
            Is::ArchiveInsight(ask) => Reply::ArchiveInsight(core.read(self.archive_insight(ask)).await?),
            Is::TodoPreview(ask) => Reply::TodoPreview(core.read(async { preview(ask) }).await?),
            Is::TodoComplete(ask) => Reply::TodoComplete(core.read(self.complete(ask)).await?),
        })
    }
}
