/**
 * One table of turns for roles, chats and tasks, and a context for each conversation (CH12, CX1).
 * Rows of the two old tables are carried over; a turn that runs goes on under its id, with what was
 * said so far in `answer`. A chat process of the build before may hold several people's words and
 * its ACP session was never stored: it finishes its turn and is not given another.
 */
import type { Step } from './migration.ts'

const turnColumns = `
  id, conversation_key, origin_key, context_id, agent_id, project_id, launch_id, agent_session_id, role_agent_id,
  user_session_id, role, work_session_id, about, task_id, through_seq, state, stop_reason, error, content, answer, cut,
  asked_by, asked_seq, started_seq, ended_seq, created_at, started_at, ended_at, cancel_ordered_at, cancel_request_id`

/** Characters that a key may not have, as `consoleKey` writes them. */
const encodedRole = (role: string): string =>
  `replace(replace(replace(replace(${role}, '%', '%25'), '/', '%2F'), '\\', '%5C'), '.', '%2E')`

/** The pieces of a chat's running turn, joined in order. */
const joinedPieces =
  "coalesce((select string_agg(p.said, '' order by p.n) from turn_pieces p where p.turn_id = t.id), '')"

export const turns: Step = ({ added, clustered, columns }) => [
  'drop index turns_open',
  'drop index turns_over',
  'alter table turns rename to role_turns',
  `create table turns (${columns(`
      id* conversation_key origin_key context_id? agent_id project_id launch_id? agent_session_id? role_agent_id?
      user_session_id? role? work_session_id? about task_id? through_seq:bigint? state stop_reason? error? content primer?
      answer cut:bigint usage? retry_of? not_before? asked_by asked_seq:bigint started_seq:bigint? ended_seq:bigint?
      created_at started_at? ended_at? cancel_ordered_at? cancel_request_id? cancel_by?`)})`,
  `create table contexts (${columns(`
      id* agent_id project_id conversation_key origin_key generation:bigint state launch_id? agent_session_id? acp_session_id?
      created_at opened_at? how? not_restored? primed_at? told_through:bigint decisions_told_at? trouble:bigint ended_at?
      end_reason?`)})`,
  `create table turn_items (${columns('turn_id n:bigint kind body')}, primary key (turn_id, n)) ${clustered}`,
  ...added('conversations', 'generation:bigint=0 title? account_id?'),
  ...added('messages', 'origin_key? sender_name?'),
  ...added('agent_sessions', 'context_id?'),
  ...added('human_approvals', 'conversation_key?'),
  ...added('launches', 'context_limit:bigint?'),
  ...added('coordinators', 'contexts:bigint=0'),
  "update launches set context_limit = 0 where ready_at is not null and role_agent_id is null and state <> 'ended'",
  // An agent in a role that lives keeps its ACP session as its context; one that is still starting
  // gets its own when it is ready.
  `insert into contexts (id, agent_id, project_id, conversation_key, origin_key, generation, state, launch_id, acp_session_id,
          created_at, opened_at, how, primed_at, told_through, trouble)
        select 'ctx-' || a.id, a.agent_id, a.project_id, 'console:' || a.user_session_id || '.' || ${encodedRole('a.role')}, '', 0, 'open',
          a.launch_id, a.acp_session_id, a.created_at, coalesce(a.opened_at, a.created_at), 'new', a.created_at, 0, 0
        from role_agents a where a.state = 'ACTIVE' and a.acp_session_id is not null`,
  `insert into turns (${turnColumns})
        select t.id, 'console:' || t.user_session_id || '.' || ${encodedRole('t.role')}, '',
          case when t.state = 'running' and a.state = 'ACTIVE' then 'ctx-' || a.id else null end,
          a.agent_id, a.project_id, t.launch_id, null, t.role_agent_id, t.user_session_id, t.role, a.work_session_id, 'prompt', null, null,
          t.state, t.stop_reason, t.error, t.content, t.answer, t.cut, t.asked_by, t.asked_seq, t.started_seq, t.ended_seq,
          t.created_at, t.started_at, t.ended_at, t.cancel_ordered_at, t.cancel_request_id
        from role_turns t join role_agents a on a.id = t.role_agent_id`,
  `insert into turns (${turnColumns})
        select t.id, coalesce(t.conversation_key, 'work:' || coalesce(s.work_session_id, t.agent_session_id) || '.' || t.agent_id), '', null,
          t.agent_id, t.project_id, t.launch_id, t.agent_session_id, null, null, null, s.work_session_id, t.about, t.task_id, t.through_seq,
          t.state, case when t.state = 'answered' then 'end_turn' when t.state = 'failed' then 'error' else null end, t.error, t.content,
          case when t.state = 'running' then ${joinedPieces} else '' end, 0, t.agent_id, 0, 0, null,
          t.created_at, t.created_at, t.ended_at, t.cancel_ordered_at, null
        from chat_turns t left join agent_sessions s on s.id = t.agent_session_id`,
  // What waits is a queued turn for each conversation; what a live agent session was handed, a
  // running one.
  'alter table unread_messages rename to old_unread',
  'drop index unread_delivered',
  `create table unread_messages (${columns(`
      agent_id project_id conversation_key seq:bigint priority_rank:integer created_at chars:bigint turn_id
    `)}, primary key (agent_id, project_id, conversation_key, seq)) ${clustered}`,
  `insert into unread_messages (agent_id, project_id, conversation_key, seq, priority_rank, created_at, chars, turn_id)
        select u.agent_id, u.project_id, u.conversation_key, u.seq, u.priority_rank, u.created_at, u.chars,
          coalesce(
            (select t.id from chat_turns t where t.agent_session_id = u.delivered_to and t.conversation_key = u.conversation_key
              and t.state = 'running' and t.about = 'chat'),
            case when s.id is not null then 'handed-' || s.id || '-' || u.conversation_key
              else 'queued-' || u.agent_id || '-' || u.project_id || '-' || u.conversation_key end)
        from old_unread u left join agent_sessions s on s.id = u.delivered_to and s.state <> 'ended'`,
  `insert into turns (${turnColumns})
        select u.turn_id, u.conversation_key, '', null, u.agent_id, u.project_id, max(s.launch_id), max(s.id), null, null, null, null, 'chat',
          null, null, case when max(s.id) is null then 'queued' else 'running' end, null, null, '[]', '', 0, 'system', 0, null, null,
          min(u.created_at), case when max(s.id) is null then null else min(u.created_at) end, null, null, null
        from unread_messages u
        left join old_unread o on o.agent_id = u.agent_id and o.project_id = u.project_id and o.conversation_key = u.conversation_key
          and o.seq = u.seq
        left join agent_sessions s on s.id = o.delivered_to and s.state <> 'ended'
        where not exists (select 1 from turns t where t.id = u.turn_id)
        group by u.turn_id, u.conversation_key, u.agent_id, u.project_id`,
  'drop table old_unread',
  'drop table chat_turns',
  'drop table turn_pieces',
  'drop table role_turns',
  "create unique index turns_running_in on turns (context_id) where state = 'running'",
  "create index turns_waiting on turns (agent_id, project_id, created_at) where state = 'queued'",
  "create index turns_on_launch on turns (launch_id) where state = 'running'",
  "create index turns_of_session on turns (agent_session_id) where state = 'running'",
  "create index turns_in on turns (conversation_key) where state in ('queued', 'running')",
  "create index turns_of_role on turns (role_agent_id, asked_seq) where state in ('queued', 'running')",
  'create index turns_over on turns (user_session_id, ended_seq) where ended_seq is not null',
  'create index turns_newest on turns (conversation_key, created_at, id)',
  'create index turns_in_context on turns (context_id, ended_at) where context_id is not null',
  "create unique index contexts_one on contexts (agent_id, project_id, conversation_key, origin_key) where state <> 'ended'",
  "create index contexts_of_launch on contexts (launch_id) where state <> 'ended'",
  "create index contexts_in on contexts (conversation_key) where state <> 'ended'",
  'create index unread_of_turn on unread_messages (turn_id)',
  'create index approvals_asked_in on human_approvals (conversation_key, id) where conversation_key is not null',
]
