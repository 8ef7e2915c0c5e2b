/** The results of the fault bench as a table: on the terminal, and in docs/faults.md. */
import { isClean, type Tally } from './oracle.ts'

export interface Result {
  readonly rule: string
  readonly test: string
  /** What was done how often, in words. */
  readonly points: string
  readonly seed: string
  readonly tally: Tally
  /** Broken builds and whether the oracle caught them. */
  readonly controls: readonly { readonly name: string; readonly caught: boolean }[]
  readonly seconds: number
  /** Why it could not be run here. */
  readonly notRun?: string
  /** A figure that must hold, besides the oracle. */
  readonly figure?: { readonly text: string; readonly holds: boolean }
}

/** What could not be run is said, and on a build machine it has failed. */
export const passed = (result: Result): boolean =>
  (result.notRun !== undefined && !process.env['CI']) ||
  (result.notRun === undefined &&
    isClean(result.tally) &&
    result.controls.every(({ caught }) => caught) &&
    result.figure?.holds !== false)

const columns = [
  'rule',
  'test',
  'points',
  'lost',
  'doubled',
  'reordered',
  'torn',
  'controls',
  'seconds',
] as const

function cellsOf(result: Result): string[] {
  const { rule, test, points, tally, controls, seconds, notRun, figure } = result
  if (notRun) return [rule, test, `not run: ${notRun}`, '', '', '', '', '', '']
  const caught = controls
    .map(({ name, caught: yes }) => `${name}: ${yes ? 'caught' : 'MISSED'}`)
    .join('; ')
  const counts = [tally.lost, tally.doubled, tally.reordered, tally.torn].map(String)
  return [
    rule,
    test,
    figure ? `${points}; ${figure.text}` : points,
    ...counts,
    caught,
    seconds.toFixed(0),
  ]
}

export function markdownTable(results: readonly Result[]): string {
  const rows = [columns, columns.map(() => '---'), ...results.map(cellsOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/**
 * The document with the rows of these results in place of those that were there, or behind the last
 * one.
 */
export function withRows(document: string, results: readonly Result[]): string {
  const lines = document.split('\n')
  for (const result of results) {
    const row = `| ${cellsOf(result).join(' | ')} |`
    const at = lines.findIndex((line) => line.startsWith(`| ${result.rule} | ${result.test} |`))
    if (at >= 0) lines[at] = row
    else lines.splice(lines.findLastIndex((line) => line.startsWith('| ')) + 1, 0, row)
  }
  return lines.join('\n')
}

export function documentOf(results: readonly Result[], seed: string, machine: string): string {
  return `# The fault bench: what was broken, and what held

Written by \`npm run test:faults\`. Every number of the table must be 0 and every control caught: a control is a build broken on
purpose, run through the same test, which the oracle must find out. Everything done by chance comes from the seed; the same seed
draws the same points again (\`npm run test:faults -- --seed ${JSON.stringify(seed)}\`).

The oracle: every acknowledged write is there exactly once with the same bytes, its receipt too; a refused one left nothing; one
that was never answered is there whole or not at all; streams are dense 1..head; state is what the events say.

- Seed: \`${seed}\`
- Machine: ${machine}

${markdownTable(results)}

## What the tests do

- **kill -9**: processes work on a store (6 writers, receipts, the same request twice at once, requests that are refused after they
  have written) and are killed right after an acknowledgement, some time after one, while closing, and at the n-th call to the disk
  of opening, working and closing; the next process goes on with the same database and sends again, with the same key, what was
  never answered. Over HTTP the whole server is killed, also while it starts, and a client follows the events with its cursor.
- **Work**: a scripted piece of work (two phases, tasks that wait, an approval, what failed and what was verified, checkpoints,
  artifacts, an interruption) whose server is killed after an answer or with a request on its way. After each kill every file is whole;
  what was acknowledged is there, once; a resume answers what the events say; and the files say what the store says.
- **Files of turns**: a person's repository with something staged, stashed and ignored; turns that write files, rewinds, undoings and forks. The server, the coordinator or both are killed at each call of git (before it,
  beside it, in its middle, behind it) and at random moments. Then everything comes to its end by itself: each turn has the files that were there before and after it, a rewind and its undoing are whole or were never done, a fork has the
  files of its turn, each recorded state is under a ref, and index, stash, branches, configuration and ignored files of the person are as they were.
- **Cutover**: a process cuts over 50 conversations of two days as a server does when it starts, and dies in front of or right behind its n-th
  commit, or in front of its n-th call that changes a file, for every n. At that moment each conversation is whole on one side or the other and
  every note is whole; the next process ends with each chapter in its note, once.
- **Cuts**: an agent answers turn after turn in a console that two devices follow; their sockets are cut at random messages, and the server is
  killed in the middle of turns. Both resume behind the last number they have, and in the end both have the server's log, to the letter.
- **Power cut**: everything a process does to its disk is logged with its bytes (\`LD_PRELOAD\`); at a moment of that log the disk is
  rebuilt with what was not yet fsynced lost, kept, torn at sectors or reordered, names apart from bytes: a name counts as safe only
  after its folder's fsync. The log is proven complete by playing it and comparing the result with the real folder.
- **I/O errors**: EIO, ENOSPC and short writes at the n-th write, sync, truncation, creation or removal, once, three times or from
  then on; half of the processes are killed when they notice. Then a new process works, and the power fails: what was written before
  a failed sync is taken for lost for ever, as Linux does it.
- **Order**: 16 writers, 8 readers (the product's own), roll-backs, slow and cut-off clients, rings dropped, doubled and reordered.
  SQLite has one writer, so a number given out before the commit is in commit order there and its control would prove nothing; there
  the control is a cursor by time. On PostgreSQL it is a \`bigserial\`.
- **Fencing**: a coordinator is replaced, or taken over, on one node while a message of its is on its way through another; then it
  speaks again as if nothing had happened. Nothing it says may stand in the log behind the moment its epoch was raised.
- **Processes**: agents that fork, wrap, ignore SIGTERM, flood, drop their environment or close their output end in every way there is:
  ordered, by themselves, killed, with a coordinator that is stopped, hurried, killed or replaced. Torn counts what is left ten seconds
  later, lost the bystanders that were hit: look-alikes, neighbours, whoever has the number of a process that has gone. Then the
  server is killed at random moments while an agent answers, and started again.
- **Crowd**: fifty demo agents in one user session, each a process, that all answer; two hundred user sessions beside it; a thousand sockets that
  follow one turn and must all see the same events, once; and a reader that stalls while megabytes are said, is told so with 4008 when it reads on,
  comes back and has missed nothing. Lost counts wrong answers and sockets that saw something else, torn the agents that are left after the end.
- **Cluster**: three nodes on one PostgreSQL behind a balancer, two coordinators, agents of both kinds in chats, one in a role, writers and readers; nodes and
  coordinators are killed, stopped past a takeover and drained at random, the doorbells between nodes lost, PostgreSQL restarted. The same oracle looks at the store; every message is answered once, every
  event comes once to whoever follows, no launch has two processes, no request fails while a node is drained. While PostgreSQL is away a request waits for some seconds or is
  told \`store_unavailable\` and when to come again; anything else, and a longer wait, counts as torn. Live: until every reader has an event that was committed afterwards.
- **Upgrade**: the same cluster begins as the last version whose database had an older form, taken from the repository's history. Node by node is drained and started as today's version, then
  each coordinator, while everybody works on: as in a drain no request may fail, also not while the database is brought into its new form.
- **Backends terminated**: every connection of a server is ended by PostgreSQL each 40 ms while requests come over HTTP and WebSocket. Each is done, or refused with 503 and \`Retry-After\`; anything else is torn. What
  was acknowledged is there once, and what was refused is not, unless its refusal said that nobody knows.
- **Migrations**: a process dies in front of its n-th statement, for every n.
- **Earlier builds**: the last build of each form of the database, out of the history, makes a data folder over HTTP; today's opens it, reads what is there, goes on and finds it whole
  (\`doctor --deep\`); then the build that made it must refuse it, in words.
- **Upgrade in mid-turn**: the last build with two kinds of turns is killed while its agents answer: prompts of a console (one runs, one waits, one asks a person), chats and tasks over ACP and pulled. Its coordinator and
  its agents work on, and today's build takes them over. Each prompt was told to an agent once and each answer is stored once and whole, no turn is unknown, a console's conversation is nobody else's, and the old build refuses the folder.
- **Large store**: a million events and a hundred thousand rows; the write-ahead log under load while snapshots are held open.
`
}
