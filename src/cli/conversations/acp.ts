/**
 * `holdfast acp`: an agent of the Agent Client Protocol on standard input and output, which editors
 * start (EC8). Standard output carries the protocol alone; everything else goes to standard error.
 */
import { StringDecoder } from 'node:string_decoder'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { command, option } from '../command.ts'
import { findConnection } from '../connect.ts'
import { failed } from '../failure.ts'
import { AcpTunnel } from './acp-tunnel.ts'
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
  },
  examples: [
    ['acp', 'what to enter as the command of an agent in an editor'],
    ['acp --agent claude', 'with one agent in all new sessions'],
    ['acp --workplace worktree', 'each session in a worktree of its own'],
  ],
  async run(context, { project, agent, workplace }) {
    const { terminal } = context
    const { stdin, stdout } = terminal
    const { version } = findPackageRoot()
    const find = () => {
      const { server, tokenFile } = context.shared
      return findConnection(terminal, context.config(), { server, tokenFile })
    }
    const given = { project, agent, workplace }
    const chosen = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    )
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
      const decoder = new StringDecoder('utf8')
      let rest = ''
      for await (const bytes of stdin) {
        const lines = (rest + decoder.write(bytes as Buffer)).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > maxLine)
          throw failed('A line of standard input is too long.', 'Send one message a line.')
        for (const line of lines) if (line.trim() !== '') tunnel.fromEditor(line)
      }
    } finally {
      stopListening()
      tunnel.close()
    }
  },
})
