/** `holdfast open`: a new one-time sign-in link, in the browser when there is one. */

import { systemClock } from '../../platform/clock.ts'
import { openBrowser } from '../../platform/open-browser.ts'
import type { CommandSpec } from '../command.ts'
import { isInteractive } from '../terminal.ts'
import { relative } from '../times.ts'

export const open: CommandSpec = {
  name: 'open',
  summary: 'Make a new sign-in link and open it in the browser',
  options: [{ flags: '--print', about: 'only print the link' }],
  examples: [
    ['open', 'sign in to the page of the running server'],
    ['open --print', 'print the link, to open it on another screen'],
  ],
  run: async (context, given) => {
    const client = await context.client()
    const { code, expiresAt } = await client.post('/api/sign-in-codes')
    const link = `${client.url}/sign-in#${code}`
    const { terminal } = context
    const opened = !context.json && !given.flag('print') && isInteractive(terminal) && (await openBrowser(link, terminal.env))
    context.answer({ url: link, expiresAt, opened }, () => link)
    if (!context.json)
      context.note(
        `${opened ? 'Opened in the browser. ' : ''}It works once, and expires ${relative(expiresAt, systemClock.now())}.`,
      )
  },
}
