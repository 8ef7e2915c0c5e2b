#!/usr/bin/env node
/**
 * The entry: passes the arguments to the command line. Compiled code is cached between starts,
 * because start time is measured (SP1).
 *
 * src/
 *   domain/         pure decisions: types, rules, state machines, the error catalogue (by area)
 *   protocol/       schemas of everything on a wire, in a file or in the configuration (by area)
 *     threads/    the state of a session, and how each event changes it
 *   services/       use cases, each in a transaction; records, moves and reads (by area)
 *     flows/        what crosses areas: end a process, begin a turn, decide a request (by area)
 *       messages/   say, post, hand over, move and withdraw messages
 *       imports/    take in sessions that an agent kept
 *       files/      compare, bring back and fork files; send comments on them
 *   store/          the database behind one contract; the queries (by area)
 *     log/          streams, events, cursors, doorbells, receipts
 *     schema/       the tables, a file for each area
 *     migrations/   how an older database becomes the present one
 *     sqlite/       the engine on SQLite
 *     postgres/     the engine on PostgreSQL
 *     deep-check/   reads everything and compares it (doctor --deep)
 *   doors/          the ways in: each a folder and a line in door-list.ts
 *     rest/         the routes of each area, OpenAPI
 *     relay/        user sessions on the WebSocket
 *     mcp/          the MCP endpoint, the tools of each area
 *     acp/          the Agent Client Protocol, for editors
 *     ahp/          the Agent Host Protocol, for VS Code
 *     telegram/     the Telegram adapter
 *     slack/        the Slack adapter
 *     discord/      the Discord adapter
 *   server/         listens, checks credentials, follows the log, waits; no rules inside (by area)
 *     http/         the HTTP application, serving the page
 *     websocket/    the WebSocket endpoint
 *     live/         subscriptions to streams
 *     security/     credentials, Host and Origin, rate limits
 *   jobs/           background jobs; in a cluster one node runs them
 *   mirror/         files written from the log, beside the database
 *   adapters/       what is outside: running chat platforms, finding installed agents
 *     agents/       finds agents that are installed
 *   coordinator/    starts agents on its machine, ends them, reports what became of them
 *     acp/          speaks the Agent Client Protocol with an agent
 *     sandbox/       the sandbox around an agent's process, its network and its repository
 *     gateway/       the way to models: adds the key, counts tokens
 *     worktrees/    git worktrees: make, inspect, commit, merge, remove
 *     file-states/  the files before and after turns: take, compare, bring back, fork
 *     review/       compares what people review, carries their comments
 *     landing/      lands what was made: plans it, carries out its steps
 *   past-sessions/  reads the sessions that agents keep in files of their own
 *   demo/           the demo project and its agents
 *     acp/          the demo agent that is prompted
 *     mcp/          the demo agent that pulls its work
 *   client/         the typed client of the server, for cli/, web/ and other programs
 *   cli/            the command line (by area)
 *   embedded/       conversations inside another program, without a server
 *   compose/        the composition root: builds the parts, connects them, starts them
 *   offline/        works on a data folder without a server: backup, restore, rebuild, migrate
 *   platform/       the operating system
 *     config/       settings and where they come from
 *     files/        the data folder, atomic writes, locks, links and paths
 *     processes/    processes and their births, signals, programs, git's environment
 *     log/          the log, and what is masked in it
 *     secrets/      tokens, seals, randomness
 *     time/         the clock
 *
 * Layers "by area" have a folder for each area they deal with: access, projects, agents,
 * conversations, turns, agent-sessions, processes, consoles, worktrees, review, work, approvals,
 * channels, system. `src/<layer>/approvals` is all of approvals. Which layer may import which:
 * .dependency-cruiser.cjs.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
// The reader of our output may close it early (`holdfast … | head`).
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const [{ run }, { callerFolder, callerPath }] = await Promise.all([
  import('./cli/run.ts'),
  import('./platform/files/caller-folder.ts'),
])
const path = callerPath(process.env)
if (path !== undefined) process.env['PATH'] = path
const cwd = callerFolder(process.env, process.cwd())
process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd,
})
