/**
 * What an ACP agent sent that nobody knows (AC10), whether it has connected to Holdfast's tools (AC11), and the ACP session that a
 * context begins as a fork of (AC12). None is known of existing rows. ACP sessions of ended contexts are closed from now on.
 */
import type { Migration } from './migration.ts'

export const agentDialects: Migration = {
  version: 38,
  name: 'agent-dialects',
  statements: ({ text }) => [
    `alter table launches add column unknown ${text}`,
    `alter table launches add column tools ${text}`,
    `alter table contexts add column fork_of ${text}`,
    "update contexts set acp_session_id = null where state = 'ended'",
    "create index contexts_left on contexts (agent_id) where state = 'ended' and acp_session_id is not null",
  ],
}
