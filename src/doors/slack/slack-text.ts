/**
 * Texts on Slack. What goes out can neither mention nor fetch anything: `&`, `<` and `>` are
 * escaped, and with these alone Slack makes mentions and links. Pure.
 */
import type { Button } from '../../adapters/port.ts'
import { splitText } from '../../domain/channels/split-text.ts'

/** A mark that never closes is no block. */
const blocks = /^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:\n {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm

/** Markdown as Slack's mrkdwn. */
export function slackText(markdown: string): string {
  let text = ''
  let at = 0
  for (const block of markdown.matchAll(blocks)) {
    text += lines(markdown.slice(at, block.index))
    text += `\`\`\`\n${escaped(unfenced(block[2] ?? ''))}\n\`\`\``
    at = block.index + block[0].length
  }
  return text + lines(markdown.slice(at))
}

/** Slack knows only one mark: three of them in a block would end it. */
const unfenced = (code: string): string => code.replaceAll('```', '`\u200b`\u200b`')

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const lines = (text: string): string => text.split('\n').map(line).join('\n')

function line(text: string): string {
  const quote = /^ {0,3}> ?(.*)$/.exec(text)?.[1]
  if (quote !== undefined) return `&gt; ${spans(quote)}`
  const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(text)?.[1]
  return heading === undefined ? spans(text) : `*${spans(heading.replaceAll('*', ''))}*`
}

/** Code first, because marks inside it have no meaning. */
const spans = (text: string): string =>
  text
    .split(/(`[^`\n]+`)/)
    .map((piece) => (piece.startsWith('`') ? escaped(piece) : words(escaped(piece))))
    .join('')

const words = (text: string): string =>
  text
    .replaceAll(/\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()"]{1,1000})\)/g, '$1 ($2)')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '*$1*')

/** Slack takes no longer text in one block. */
const maxBlockChars = 2900

/** A message with buttons. Its text has been made for Slack already. */
export const blocksOf = (text: string, buttons: readonly Button[]) => [
  ...piecesOf(text).map((piece) => ({
    type: 'section' as const,
    text: { type: 'mrkdwn' as const, text: piece },
  })),
  {
    type: 'actions' as const,
    elements: buttons.map(({ label, token, style }, index) => ({
      type: 'button' as const,
      action_id: `choice_${index}`,
      text: { type: 'plain_text' as const, text: label, emoji: false },
      value: token,
      ...(style === 'yes' && { style: 'primary' as const }),
      ...(style === 'no' && { style: 'danger' as const }),
    })),
  },
]

const piecesOf = (text: string): string[] => splitText(text, maxBlockChars)

/** What somebody wrote, as they saw it. Our own mention at its beginning is no part of it. */
export function textFromSlack(
  text: string,
  ourId: string,
  nameOf: (userId: string) => string,
): string {
  return text
    .replace(new RegExp(`^\\s*<@${ourId}(?:\\|[^>]*)?>[,:]?\\s*`), '')
    .replaceAll(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${nameOf(id)}`)
    .replaceAll(/<#\w+\|([^>]*)>/g, '#$1')
    .replaceAll(/<!subteam\^\w+(?:\|([^>]*))?>/g, (_, name?: string) => name ?? '@group')
    .replaceAll(/<!(\w+)(?:\|[^>]*)?>/g, '@$1')
    .replaceAll(/<((?:https?|mailto):[^|>]+)\|([^>]*)>/g, (_, url: string, label: string) =>
      url.endsWith(label) ? label : `[${label}](${url})`,
    )
    .replaceAll(/<((?:https?|mailto):[^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
