/**
 * 45: what a conversation is stands in columns of its row, read here from the keys that there are.
 * Between agents: both. In a console: the user session and the role, decoded. At work: the first
 * work session of the lineage. A chat's project and agent, also where its key goes on behind them.
 * What rows have already stays. The worktree of a console's fork is its person's (SE28); those of
 * before were nobody's.
 */
import { plainSql } from './migration.ts'

export const whatAConversationIs = plainSql(({ name, text }) => {
  /** Where a mark first stands, from 1; 0 where it does not. */
  const position = (inText: string, mark: string): string =>
    `${name === 'sqlite' ? 'instr' : 'strpos'}(${inText}, '${mark}')`
  /** What is before the first mark; all of a text without one. */
  const before = (mark: string, whole: string): string =>
    `substr(${whole}, 1, ${position(`(${whole} || '${mark}')`, mark)} - 1)`
  const after = (mark: string, whole: string): string =>
    `substr(${whole}, ${position(whole, mark)} + 1)`
  const hasBoth = (mark: string, whole: string): string =>
    `${position(whole, mark)} > 1 and length(${after(mark, whole)}) > 0`

  const chat = `substr(key, ${'web:'.length + 1})`
  const agents = `substr(key, ${'agent:'.length + 1})`
  const inConsole = `substr(key, ${'console:'.length + 1})`
  const work = `substr(key, ${'work:'.length + 1})`
  // As roles are written in keys; what stands for % itself comes last.
  const slashes = `replace(replace(${after('.', inConsole)}, '%2F', '/'), '%5C', '\\')`
  const role = `replace(replace(${slashes}, '%2E', '.'), '%25', '%')`
  return `
    alter table conversations add column kind ${text} not null default 'other';
    alter table conversations add column other_agent_id ${text};
    alter table conversations add column user_session_id ${text};
    alter table conversations add column role ${text};
    alter table conversations add column work_session_id ${text};

    update conversations set kind = 'console' where substr(key, 1, 8) = 'console:';
    update conversations set kind = 'work' where substr(key, 1, 5) = 'work:';
    update conversations set kind = 'fork' where substr(key, 1, 5) = 'fork:';
    update conversations set kind = 'schedule' where substr(key, 1, 9) = 'schedule:';
    update conversations set kind = 'import' where substr(key, 1, 7) = 'import:';
    update conversations set kind = 'race' where substr(key, 1, 5) = 'race:';
    update conversations set kind = 'channel'
      where substr(key, 1, 9) = 'telegram:' and length(key) > 9;

    update conversations set
        kind = 'web',
        project_id = coalesce(project_id, ${before('.', chat)}),
        agent_id = coalesce(agent_id, ${before('.', after('.', chat))})
      where substr(key, 1, 4) = 'web:' and ${hasBoth('.', chat)}
        and ${position(after('.', chat), '.')} <> 1;

    update conversations set
        kind = 'agent',
        agent_id = ${before('~', agents)},
        other_agent_id = ${after('~', agents)}
      where substr(key, 1, 6) = 'agent:' and ${hasBoth('~', agents)}
        and ${position(after('~', agents), '~')} = 0
        and ${before('~', agents)} <= ${after('~', agents)};

    update conversations set
        user_session_id = ${before('.', inConsole)},
        role = ${role}
      where kind = 'console' and ${hasBoth('.', inConsole)};

    update conversations set
        work_session_id = ${before('.', work)},
        agent_id = coalesce(agent_id, ${after('.', work)})
      where kind = 'work' and ${hasBoth('.', work)};

    update worktrees set
        account_id = (select account_id from conversations where key = worktrees.conversation_key)
      where account_id = '' and conversation_key in
        (select key from conversations where kind = 'fork' and account_id is not null);
  `
})
