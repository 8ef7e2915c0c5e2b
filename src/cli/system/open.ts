/**
 * `holdfast open`: creates a one-time sign-in link, opened in the browser or shown as a QR code
 * (UI8).
 */

import { openBrowser } from '../../platform/processes/open-browser.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { signInLink } from '../../protocol/access/sign-in-link.ts'
import { command, option } from '../command.ts'
import { failed } from '../failure.ts'
import { isInteractive } from '../terminal.ts'
import { relative } from '../times.ts'

const isLoopback = (link: string): boolean =>
  /^(localhost|127\.|\[::1\])/.test(new URL(link).hostname)

export const open = command({
  summary: 'Make a new sign-in link and open it in the browser',
  options: {
    print: option.flag('only print the link'),
    qr: option.flag('show it as a code for the camera of a phone (needs `public_url`)'),
  },
  examples: [
    ['open', 'sign in to the page of the running server'],
    ['open --print', 'print the link, to open it on another screen'],
    ['open --qr', 'sign in on your phone'],
  ],
  async run(context, given) {
    const { code, expiresAt, link: outside } = await context.client.post('/api/sign-in-codes')
    const onPhone = given.qr
    const link = (onPhone && outside) || signInLink(context.client.url, code)
    const { terminal } = context
    const opened =
      !context.json &&
      !onPhone &&
      !given.print &&
      isInteractive(terminal) &&
      (await openBrowser(link, terminal.env))
    if (onPhone && isLoopback(link))
      throw failed(
        `A phone cannot reach ${new URL(link).origin}: it is this machine’s own address.`,
        'Put Holdfast behind a proxy, set `public_url` to its address, and start it again.',
      )
    const { renderUnicodeCompact } = await import('uqr')
    context.answer({ url: link, expiresAt, opened }, () =>
      onPhone ? `${renderUnicodeCompact(link, { border: 2 })}\n${link}` : link,
    )
    if (!context.json)
      context.note(
        `${opened ? 'Opened in the browser. ' : ''}It works once, and expires ${relative(expiresAt, systemClock.now())}.`,
      )
  },
})
