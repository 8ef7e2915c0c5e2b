/**
 * `holdfast sessions`: what people have with agents, one job each (SL3). Work sessions, which were
 * listed here before, are `holdfast work`; the earlier commands about one still do what they did,
 * and name the new one.
 */
import { ProblemError } from '../../client/failures.ts'
import type { ListedConversation } from '../../protocol/conversations/conversation.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption, projectOption, yesOption } from '../options-everywhere.ts'
import { namedProject, projectNames } from '../projects/choose-project.ts'
import type { Style } from '../terminal.ts'
import {
  dismissWorkSession,
  endWorkSession,
  saveWorkSession,
  showWorkSession,
} from '../work/work.ts'
import { showConversation } from './conversations.ts'

type State = NonNullable<ListedConversation['activity']>

const styles: Readonly<Record<State, Style>> = {
  waiting: 'yellow',
  failed: 'red',
  interrupted: 'red',
  limited: 'yellow',
  working: 'cyan',
  starting: 'cyan',
  ended: 'dim',
  idle: 'dim',
}

/** A session that has said something since it was looked at has finished. */
const stateOf = ({ activity = 'idle', unread }: ListedConversation): string =>
  activity === 'idle' && unread ? 'finished' : activity

/** What two agents say to each other is no session of a person's. */
const isSession = ({ kind }: ListedConversation): boolean => kind !== 'agent'

const listSessions = command({
  summary: 'List the sessions, the newest last turn first (the default)',
  options: {
    project: projectOption,
    agent: option.text('<agent>', 'only those that this agent answers'),
    archived: option.flag('those that you have archived, instead of the others'),
    limit: limitOption,
  },
  examples: [
    ['sessions', 'of all projects: what each is about, and how it stands'],
    ['sessions --project website --agent coder', 'those of one agent in a project'],
    ['sessions list --archived --json', 'the archive, for a program'],
  ],
  async run(context, given) {
    const nameOf = await projectNames(context)
    const project = await namedProject(context)
    const query = {
      archived: given.archived,
      ...(project && { projectId: project.id }),
      ...(given.agent !== undefined && { agentId: given.agent }),
    }
    await context.printList(context.client.pages('/api/conversations', { query }), {
      where: isSession,
      empty: given.archived
        ? 'Nothing is archived.'
        : 'No sessions. `holdfast chat AGENT` or `holdfast run` begins one.',
      columns: [
        { title: 'SESSION', of: ({ key }) => key, style: 'bold' },
        { title: 'STATE', of: stateOf, style: (each) => styles[each.activity ?? 'idle'] },
        { title: 'AGENT', of: ({ agentId }) => agentId ?? '–' },
        { title: 'LAST', of: ({ lastTurnAt }) => context.ago(lastTurnAt), style: 'dim' },
        {
          title: 'PROJECT',
          of: ({ projectId }) => (projectId === null ? '–' : nameOf(projectId)),
          style: 'dim',
          shrinks: true,
        },
        { title: 'TITLE', of: ({ title }) => title ?? '–', shrinks: true },
      ],
    })
  },
})

const thread = operand.required('key of the session, such as session:k3v9', { called: 'session' })

const isWork = (typed: string): boolean => typed.startsWith('sess_')

const moved = (context: CommandContext, name: string, typed: string): void =>
  context.note(`\`holdfast work ${name} ${typed}\` is its name now.`)

const showSession = command({
  summary: 'Show one: what it is, and the newest messages that its agent is handed',
  operands: { thread },
  options: { project: projectOption },
  examples: [['sessions show session:k3v9x2m4p7qa', 'the last 20 messages']],
  async run(context, given) {
    const typed = given.thread
    if (isWork(typed)) {
      moved(context, 'show', typed)
      return showWorkSession.run?.(context, { ...given, workSession: typed })
    }
    return showConversation.run?.(context, { ...given, key: typed })
  },
})

/** Archives a session, or takes it out of the archive. */
const archiving = (archived: boolean, summary: string): CommandSpec =>
  command({
    summary,
    operands: { thread },
    examples: [
      archived
        ? ['sessions archive session:k3v9x2m4p7qa', 'out of your list until something is said']
        : ['sessions restore session:k3v9x2m4p7qa', 'in your list again'],
    ],
    async run(context, given) {
      const key = given.thread
      const path = '/api/conversations/{key}'
      const changed = await context.client.patch(path, { params: { key }, body: { archived } })
      const words = archived ? 'is archived' : 'is in your list again'
      context.finished(changed, `${key} ${words}`)
    },
  })

const closeSession = command({
  summary:
    'Close one for everybody: its process ends and its worktree goes; a message opens it again',
  operands: { thread },
  options: { yes: yesOption },
  examples: [['sessions close session:k3v9x2m4p7qa', 'asks first where work would be lost']],
  async run(context, given) {
    const key = given.thread
    const close = (body: { confirm?: string }) =>
      context.client.post('/api/conversations/{key}/close', { params: { key }, body })
    const closed = await close({}).catch(async (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      const { code, digest, detail } = error.problem
      if (code !== 'would_lose' || typeof digest !== 'string') throw error
      await context.confirm(`Close ${key}?`, `${detail}.`)
      return close({ confirm: digest })
    })
    context.finished(closed, `${key} is closed`)
  },
})

/** About a work session, as it was called before. */
const asBefore = (name: string, spec: CommandSpec): CommandSpec => ({
  ...spec,
  summary: `Of work: now \`holdfast work ${name}\``,
  examples: [[`sessions ${name} sess_20260115143000_x1y2z3`, `as \`work ${name}\``]],
  async run(context, given) {
    const typed = String(given['workSession'])
    if (!isWork(typed))
      throw usage(`${JSON.stringify(typed)} is no work session.`, '`holdfast work` lists them.')
    moved(context, name, typed)
    await spec.run?.(context, given)
  },
})

export const threads: CommandSpec = {
  summary: 'Sessions: what you have with agents, one job each',
  examples: [
    ['sessions', 'all of them, and how each stands'],
    ['sessions show session:k3v9x2m4p7qa', 'what was said in one'],
    ['sessions archive session:k3v9x2m4p7qa', 'out of your list'],
  ],
  commands: {
    list: listSessions,
    show: showSession,
    archive: archiving(true, 'Take one out of your list until something is said in it'),
    restore: archiving(false, 'Take one out of the archive'),
    close: closeSession,
    checkpoint: asBefore('checkpoint', saveWorkSession),
    end: asBefore('end', endWorkSession),
    dismiss: asBefore('dismiss', dismissWorkSession),
  },
}
