/**
 * `holdfast acp`: an agent of the Agent Client Protocol on standard input and output, which editors
 * start (EC8). Standard output carries the protocol alone; everything else goes to standard error.
 */
import { resolve } from 'node:path'
import { editors, type Program, settingsFor } from '../../domain/conversations/editor-settings.ts'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { command, option } from '../command.ts'
import { type Connection, findConnection } from '../connect.ts'
import type { CommandContext } from '../context.ts'
import { inputLines } from '../input-lines.ts'
import { AcpTunnel } from './acp-tunnel.ts'
import { isMissing, startInBackground } from './start-in-background.ts'
import { openTunnelSocket } from './tunnel-socket.ts'

/** Longer lines end the command: the rest of them could be taken for messages. */
const maxLine = 8 * 1024 * 1024

export const acp = command({
  summary: 'Be an agent of the Agent Client Protocol, for editors that start one',
  options: {
    project: option.text('<id>', 'the project of all sessions; left out: that of the open folder'),
    agent: option.text('<id>', 'who works in new sessions; left out: as last in the project'),
    workplace: option.choice(
      '<where>',
      ['worktree', 'checkout'],
      'where new sessions work; left out: in the open folder',
    ),
    print: option.choice('<editor>', editors, 'print what to enter in an editor, and end'),
  },
  examples: [
    ['acp', 'what to enter as the command of an agent in an editor'],
    ['acp --agent claude', 'with one agent in all new sessions'],
    ['acp --workplace worktree', 'each session in a worktree of its own'],
    ['acp --print zed', 'the settings of Zed, with absolute paths'],
  ],
  async run(context, { project, agent, workplace, print }) {
    const { stdin, stdout } = context.terminal
    const { version } = findPackageRoot()
    const given = { project, agent, workplace }
    const chosen = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    )
    if (print !== undefined) {
      const settings = settingsFor(print, programOf(chosen, context.shared))
      context.note(`This belongs in ${settings.file}:`)
      context.answer(settings, () => settings.text)
      return
    }
    const find = finder(context)
    const tunnel = new AcpTunnel({
      open: (connection) => openTunnelSocket(find, version, connection),
      write: (text) => void stdout.write(`${text}\n`),
      chosen,
      clock: systemClock,
    })
    context.end()
    const stopListening = context.onUnread(() => tunnel.close())
    tunnel.start()
    try {
      for await (const line of inputLines(stdin, maxLine)) tunnel.fromEditor(line)
    } finally {
      stopListening()
      tunnel.close()
    }
  },
})

/** Looks for the server; where none has ever been found, one is started, once. */
function finder(context: CommandContext): () => Promise<Connection> {
  const { terminal } = context
  const { server, tokenFile, config } = context.shared
  const find = () => findConnection(terminal, context.config(), { server, tokenFile })
  const isElsewhere = server !== undefined || Boolean(terminal.env['HOLDFAST_URL'])
  let mayStart = !isElsewhere
  return async () => {
    try {
      const found = await find()
      mayStart = false
      return found
    } catch (error) {
      if (!mayStart || !isMissing(error)) throw error
      mayStart = false
      const note = (words: string) => context.note(words)
      const { data } = context.config().values
      return startInBackground({ data, config, env: terminal.env, clock: systemClock, note, find })
    }
  }
}

/** This program as an editor starts it: what was typed, with absolute paths. */
function programOf(
  chosen: Readonly<Record<string, string>>,
  { data, server, tokenFile, config }: CommandContext['shared'],
): Program {
  const given = {
    data: data && resolve(data),
    config: config && resolve(config),
    server,
    'token-file': tokenFile && resolve(tokenFile),
    ...chosen,
  }
  const args = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )
  return { command: process.execPath, args: [process.argv[1] ?? '', 'acp', ...args] }
}
