//! The one list of requests: a row for each, sorted into classes.

/// Hands every request to a macro, by class: `Class { Name -> Answer, "type" => "answer's type", ipc_command, Asker, repeat; }`.
///
/// `Asker` is one of [`Asker`](crate::Asker). `repeat` says when the request may be sent again after its answer was lost:
/// `always`, `never`, or a function of `request/class.rs` that looks at its fields.
#[macro_export]
macro_rules! with_requests {
    ($($callback:tt)+) => {
        $($callback)+! {
            /// Introduces the client, and subscribes to events. Belongs to the connection.
            Connection {
                Hello -> HelloResult, "hello" => "hello.result", hello, Agent, always;
                EventsSubscribe -> EventsSnapshot, "events.subscribe" => "events.subscribe.result", events_subscribe, Agent, always;
            }
            /// Reads, and is answered at once.
            ///
            /// Errors: `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS` and `REVISION_NOT_FOUND` where a session or a revision is
            /// named, `INVALID_TODOS` and `LIMIT_EXCEEDED` where a text is read as steps, `STORAGE`.
            Question {
                SessionList -> Sessions, "session.list" => "session.list", session_list, Look, always;
                SessionGet -> SessionAt, "session.get" => "session.get.result", session_get, Agent, always;
                SessionRevisions -> Revisions, "session.revisions" => "session.revisions.result", session_revisions, Look, always;
                SessionFiles -> ChangedFiles, "session.files" => "session.files.result", session_files, Look, always;
                SessionSearch -> SearchHits, "session.search" => "session.search.result", session_search, Look, always;
                SessionExport -> Exported, "session.export" => "session.export.result", session_export, Look, always;
                TodoPreview -> PreviewedSteps, "todo.preview" => "todo.preview.result", todo_preview, Look, always;
                TodoComplete -> Completions, "todo.complete" => "todo.complete.result", todo_complete, Look, always;
                ArchiveLists -> Lists, "archive.lists" => "archive.lists.result", archive_lists, Look, always;
                ArchiveStatus -> ArchiveInfo, "archive.status" => "archive.status.result", archive_status, Look, always;
                ArchiveInsight -> Insight, "archive.insight" => "archive.insight.result", archive_insight, Look, always;
                SettingsGet -> Settings, "settings.get" => "settings.get.result", settings_get, Look, always;
                KeyList -> Keys, "key.list" => "key.list.result", key_list, Look, always;
                KeyCode -> PairingCode, "key.code" => "key.code.result", key_code, Edit, never;
                PermissionList -> Permissions, "permission.list" => "permission.list.result", permission_list, Look, always;
                LaterList -> LaterItems, "later.list" => "later.list.result", later_list, Look, always;
                RuleList -> Rules, "rule.list" => "rule.list.result", rule_list, Look, always;
                AuditList -> Audit, "audit.list" => "audit.list.result", audit_list, Look, always;
                FeedChanges -> FeedPage, "feed.changes" => "feed.changes.result", feed_changes, Look, always;
                FeedSession -> FeedRows, "feed.session" => "feed.session.result", feed_session, Look, always;
                HostsList -> Hosts, "hosts.list" => "hosts.list.result", hosts_list, Look, always;
                GatewayYield -> Done, "gateway.yield" => "gateway.yield.result", gateway_yield, Edit, always;
                GatewayStatus -> GatewayInfo, "gateway.status" => "gateway.status.result", gateway_status, Look, always;
            }
            /// A line as a person types it: a question or an edit, depending on its words.
            ///
            /// Errors: `USAGE`, and those of edits.
            Command {
                TodoCommand -> Commanded, "todo.command" => "todo.command.result", todo_command, Look, never;
            }
            /// Changes something. Changes are made in the order of their arrival and answered when they are on disk; `todo.update`,
            /// `session.created`, `session.updated`, `session.deleted`, `settings.updated`, `later.updated`, `keys.updated` or
            /// `hosts.updated` tells every subscriber.
            ///
            /// Errors: `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`, `INVALID_TODOS`, `LIMIT_EXCEEDED`, `READ_ONLY`,
            /// `INVALID_SETTING`, `KEY_NOT_FOUND`, `INVALID_KEY`, `PERMISSION_NOT_FOUND`, `RULE_NOT_FOUND`, `HOST_NOT_FOUND`,
            /// `UNAUTHORIZED`, `STORAGE`.
            Change {
                TodoWrite -> TodoWritten, "todo.write" => "todo.write.result", todo_write, Agent, always;
                TodoRead -> TodoWritten, "todo.read" => "todo.read.result", todo_read, Agent, always;
                TodoManage -> TodoManaged, "todo.manage" => "todo.manage.result", todo_manage, Agent, unless_it_adds;
                TodoDelivered -> Done, "todo.delivered" => "todo.delivered.result", todo_delivered, Agent, always;
                TodoObserve -> TodoObserved, "todo.observe" => "todo.observe.result", todo_observe, Agent, always;
                SessionReport -> SessionReported, "session.report" => "session.report.result", session_report, Agent, always;
                SessionLeave -> Done, "session.leave" => "session.leave.result", session_leave, Agent, always;
                SessionDelete -> Done, "session.delete" => "session.delete.result", session_delete, Edit, never;
                SessionUndelete -> Done, "session.undelete" => "session.undelete.result", session_undelete, Edit, always;
                ListDelete -> Done, "list.delete" => "list.delete.result", list_delete, Edit, never;
                ListUndelete -> Done, "list.undelete" => "list.undelete.result", list_undelete, Edit, always;
                SessionImport -> SessionsImported, "session.import" => "session.import.result", session_import, Edit, always;
                SessionMark -> Done, "session.mark" => "session.mark.result", session_mark, Edit, always;
                NeedDismiss -> Done, "need.dismiss" => "need.dismiss.result", need_dismiss, Edit, always;
                AgentsWritten -> Done, "agents.written" => "agents.written.result", agents_written, Edit, always;
                SettingsUpdate -> Settings, "settings.update" => "settings.update.result", settings_update, Edit, always;
                PermissionAnswer -> Done, "permission.answer" => "permission.answer.result", permission_answer, Answer, never;
                RuleNew -> Rule, "rule.new" => "rule.new.result", rule_new, Answer, never;
                RuleEdit -> Rule, "rule.edit" => "rule.edit.result", rule_edit, Answer, always;
                RuleDelete -> Done, "rule.delete" => "rule.delete.result", rule_delete, Answer, always;
                LaterAdd -> LaterItem, "later.add" => "later.add.result", later_add, Edit, never;
                LaterEdit -> LaterItem, "later.edit" => "later.edit.result", later_edit, Edit, always;
                LaterDelete -> Done, "later.delete" => "later.delete.result", later_delete, Edit, never;
                KeyNew -> KeyMade, "key.new" => "key.new.result", key_new, Edit, never;
                KeyRevoke -> Done, "key.revoke" => "key.revoke.result", key_revoke, Edit, never;
                KeyRenew -> KeyMade, "key.renew" => "key.renew.result", key_renew, Edit, never;
                HostsAdd -> Host, "hosts.add" => "hosts.add.result", hosts_add, Edit, never;
                HostsConfirm -> Done, "hosts.confirm" => "hosts.confirm.result", hosts_confirm, Administer, always;
                HostsRemove -> Done, "hosts.remove" => "hosts.remove.result", hosts_remove, Edit, never;
                EditOnce -> EditedOnce, "edit.once" => "edit.once.result", edit_once, Edit, always;
                EditDiscard -> Done, "edit.discard" => "edit.discard.result", edit_discard, Edit, never;
                KeyConfirm -> Key, "key.confirm" => "key.confirm.result", key_confirm, Administer, always;
            }
            /// An agent asks for a permission; answered when it is settled.
            ///
            /// Errors: `INVALID_MESSAGE`, `SESSION_NOT_FOUND`, `LIMIT_EXCEEDED`, `STORAGE`.
            Permission {
                PermissionAsk -> PermissionDecided, "permission.ask" => "permission.ask.result", permission_ask, Agent, never;
            }
            /// An edit: a change that the user makes to a list. `todo.update` and `edit.state` tell every subscriber.
            ///
            /// Errors: `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`, `READ_ONLY`, `INVALID_TODOS`, `LIMIT_EXCEEDED`,
            /// `INVALID_POSITION`, `ITEM_NOT_FOUND`, `REVISION_NOT_FOUND`, `CANNOT_UNDO`, `STORAGE`.
            Edit {
                TodoAdd -> Edited, "todo.add" => "todo.add.result", todo_add, Edit, never;
                TodoClear -> Edited, "todo.clear" => "todo.clear.result", todo_clear, Edit, never;
                TodoUndo -> Edited, "todo.undo" => "todo.undo.result", todo_undo, Edit, never;
                TodoRestore -> Edited, "todo.restore" => "todo.restore.result", todo_restore, Edit, never;
                TodoArchive -> Edited, "todo.archive" => "todo.archive.result", todo_archive, Edit, never;
                NoteSend -> Edited, "note.send" => "note.send.result", note_send, Edit, never;
                EditInsist -> Edited, "edit.insist" => "edit.insist.result", edit_insist, Edit, never;
                SessionLoad -> Edited, "session.load" => "session.load.result", session_load, Edit, never;
            }
            /// An edit of items that are named by `uid` or by `position`.
            ///
            /// Errors: those of edits, and `ITEM_REMOVED`.
            ItemEdit {
                TodoDelete -> Edited, "todo.delete" => "todo.delete.result", todo_delete, Edit, never;
                TodoSetStatus -> Edited, "todo.setStatus" => "todo.setStatus.result", todo_set_status, Edit, never;
                TodoEdit -> Edited, "todo.edit" => "todo.edit.result", todo_edit, Edit, never;
                TodoMove -> Edited, "todo.move" => "todo.move.result", todo_move, Edit, never;
                TodoIndent -> Edited, "todo.indent" => "todo.indent.result", todo_indent, Edit, never;
            }
            /// Concerns the computer that the gateway runs on and the agents there. May take many seconds.
            ///
            /// Errors: `CONFIGURATION`, `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`; `UNAVAILABLE` where 16 slow requests
            /// are under way on one connection.
            Computer {
                AgentsList -> AgentOverview, "agents.list" => "agents.list.result", agents_list, Look, always;
                AgentsPlan -> AgentsPlanned, "agents.plan" => "agents.plan.result", agents_plan, Edit, always;
                AgentsApply -> AgentsApplied, "agents.apply" => "agents.apply.result", agents_apply, Edit, never;
                AgentsTest -> AgentsTested, "agents.test" => "agents.test.result", agents_test, Edit, never;
                AgentsTestCancel -> Done, "agents.test.cancel" => "agents.test.cancel.result", agents_test_cancel, Edit, always;
                DemoStart -> DemoStarted, "demo.start" => "demo.start.result", demo_start, Edit, never;
                GatewayOpen -> Done, "gateway.open" => "gateway.open.result", gateway_open, Administer, always;
                ImportStart -> ImportProgress, "import.start" => "import.start.result", import_start, Edit, always;
                ImportCancel -> ImportProgress, "import.cancel" => "import.cancel.result", import_cancel, Edit, always;
                SessionOpen -> Done, "session.open" => "session.open.result", session_open, Edit, never;
                SessionRaise -> Raised, "session.raise" => "session.raise.result", session_raise, Edit, always;
                SessionContinue -> AgentStarted, "session.continue" => "session.continue.result", session_continue, Answer, never;
                AgentsStart -> AgentStarted, "agents.start" => "agents.start.result", agents_start, Answer, never;
                HostsKey -> Done, "hosts.key" => "hosts.key.result", hosts_key, Edit, always;
                HostsTest -> Host, "hosts.test" => "hosts.test.result", hosts_test, Edit, always;
                SessionResume -> ResumeCommand, "session.resume" => "session.resume.result", session_resume, Look, always;
            }
            /// A conversation with the built-in agent. Its runs are told by the events `chat.*`, `tool.*` and
            /// `preflight.checklist`, its list by `todo.update`.
            ///
            /// Errors: `SESSION_NOT_FOUND`, `STREAM_IN_PROGRESS`, `PROVIDER_NOT_CONFIGURED`, `AGENT_ERROR`,
            /// `NO_PENDING_APPROVAL`, `NO_PENDING_PREFLIGHT`, `PREFLIGHT_REJECTED`, `IMPORTED_CONVERSATION`.
            Chat {
                ChatSend -> ChatStarted, "chat.send" => "chat.send.result", chat_send, Edit, always;
                ChatAbort -> Done, "chat.abort" => "chat.abort.result", chat_abort, Edit, always;
                ChatResume -> ChatStarted, "chat.resume" => "chat.resume.result", chat_resume, Edit, always;
                ChatGet -> Chat, "chat.get" => "chat.get.result", chat_get, Look, always;
                ToolApprovalResponse -> Done, "tool.approval.response" => "tool.approval.response.result", tool_approval_response, Answer, always;
                PreflightApproval -> Done, "preflight.approval" => "preflight.approval.result", preflight_approval, Answer, always;
            }
            /// Models, tools and keys of the built-in agent. May take many seconds.
            ///
            /// Errors: `PROVIDER_NOT_CONFIGURED`, `AGENT_ERROR`, `CONFIGURATION`; `UNAVAILABLE` where 16 slow requests are
            /// under way on one connection.
            Models {
                ChatModels -> ChatModelList, "chat.models" => "chat.models.result", chat_models, Look, always;
                ChatTest -> Done, "chat.test" => "chat.test.result", chat_test, Edit, always;
                ChatTools -> ChatToolList, "chat.tools" => "chat.tools.result", chat_tools, Look, always;
                VaultKeysList -> VaultKeys, "vault.keys.list" => "vault.keys.list.result", vault_keys_list, Look, always;
                VaultKeysSet -> VaultKeys, "vault.keys.set" => "vault.keys.set.result", vault_keys_set, Administer, always;
                VaultKeysDelete -> VaultKeys, "vault.keys.delete" => "vault.keys.delete.result", vault_keys_delete, Administer, always;
            }
        }
    };
}
