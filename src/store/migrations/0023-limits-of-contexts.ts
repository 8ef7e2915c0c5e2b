/**
 * AG6: the vendor's limit of an agent is its context's, in a role and in a chat alike, and what met
 * it is a parked turn. Those of agents in roles and the table of chats are carried over.
 */
import type { Step } from './migration.ts'

/** As `consoleKey` writes it. */
const consoleKey = `'console:' || a.user_session_id || '.' || replace(replace(replace(replace(a.role, '%', '%25'), '/', '%2F'), '\\', '%5C'), '.', '%2E')`

const newContext = `insert into contexts (id, agent_id, project_id, conversation_key, origin_key, generation, state, created_at, how, told_through,
    trouble, goes_on_left)`
const newParked = `insert into turns (id, conversation_key, origin_key, agent_id, project_id, role_agent_id, user_session_id, role, launch_id,
    work_session_id, about, state, content, answer, cut, retry_of, not_before, asked_by, asked_seq, created_at)`
const isOf =
  "c.agent_id = l.agent_id and c.project_id = l.project_id and c.origin_key = '' and c.state <> 'ended'"

export const limitsOfContexts: Step = ({ added, name }) => {
  const texts = "string_agg(m.content, '\n\n' order by m.seq)"
  const part =
    name === 'sqlite'
      ? `json_object('type', 'text', 'text', ${texts})`
      : `json_build_object('type', 'text', 'text', ${texts})::text`
  return [
    ...added('contexts', 'limited_until? limited_turn_id? goes_on_by? goes_on_left:bigint=0'),
    `create table old_limits as
          select a.agent_id, a.project_id, ${consoleKey} as conversation_key, a.limited_until, a.limited_turn_id, a.goes_on_by, a.goes_on_left,
            a.created_at
          from role_agents a where a.state <> 'TERMINATED' and (a.limited_until is not null or a.goes_on_left > 0)
          union all
          select l.agent_id, l.project_id, l.conversation_key, l.limited_until,
            (select max(t.id) from turns t where t.conversation_key = l.conversation_key and t.agent_id = l.agent_id and t.state = 'failed'
              and t.ended_at = (select max(f.ended_at) from turns f where f.conversation_key = l.conversation_key
                and f.agent_id = l.agent_id and f.state = 'failed')),
            l.goes_on_by, l.goes_on_left, coalesce((select v.updated_at from conversations v where v.key = l.conversation_key), '')
          from chat_limits l`,
    `${newContext}
          select 'limit-' || l.agent_id || '-' || l.project_id || '-' || l.conversation_key, l.agent_id, l.project_id, l.conversation_key, '',
            coalesce((select v.generation from conversations v where v.key = l.conversation_key), 0), 'asleep', l.created_at, null, 0, 0, 0
          from old_limits l
          where not exists (select 1 from contexts c where ${isOf} and c.conversation_key = l.conversation_key)`,
    ...['limited_until', 'limited_turn_id', 'goes_on_by', 'goes_on_left'].map(
      (column) =>
        `update contexts set ${column} = (select l.${column} from old_limits l where l.agent_id = contexts.agent_id
            and l.project_id = contexts.project_id and l.conversation_key = contexts.conversation_key)
          where origin_key = '' and state <> 'ended' and exists (select 1 from old_limits l where l.agent_id = contexts.agent_id
            and l.project_id = contexts.project_id and l.conversation_key = contexts.conversation_key)`,
    ),
    `${newParked}
          select 'parked-' || t.id, t.conversation_key, '', t.agent_id, t.project_id, a.id, t.user_session_id, t.role, a.launch_id,
            a.work_session_id, 'prompt', 'queued', t.content, '', 0, t.id, a.limited_until, t.asked_by, 0, t.created_at
          from role_agents a join turns t on t.id = a.limited_turn_id
          where a.state <> 'TERMINATED' and a.limited_until is not null`,
    // Only the numbers of a chat's messages were kept, as \`{"seq":7,…}\`.
    `${newParked}
          select 'parked-' || l.agent_id || '-' || l.conversation_key, l.conversation_key, '', l.agent_id, l.project_id, null, null, null, null,
            null, 'chat', 'queued', '[' || ${part} || ']', '', 0, coalesce(max(o.limited_turn_id), 'earlier'), l.limited_until, coalesce(l.goes_on_by, l.agent_id), 0,
            min(m.created_at)
          from chat_limits l join old_limits o on o.agent_id = l.agent_id and o.conversation_key = l.conversation_key
            join messages m on m.conversation_key = l.conversation_key and l.held like '%{"seq":' || m.seq || ',%'
          where l.limited_until is not null
          group by l.agent_id, l.conversation_key, l.project_id, l.goes_on_by, l.limited_until`,
    'drop table old_limits',
    'drop table chat_limits',
    'drop index role_agents_limited',
    'alter table role_agents drop column limited_until',
    'alter table role_agents drop column limited_turn_id',
    'alter table role_agents drop column goes_on_by',
    'alter table role_agents drop column goes_on_left',
    "create index contexts_limited on contexts (limited_until) where limited_until is not null and state <> 'ended'",
  ]
}
