/**
 * Converts Markdown to Telegram's HTML. Only unambiguous markup becomes tags; the rest is escaped,
 * so no tag is injected.
 */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Splits text into code blocks, also an unclosed one, and lines between them. */
export function telegramHtml(markdown: string): string {
  const blocks = /^ {0,3}(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:\n {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm
  let html = ''
  let at = 0
  for (const block of markdown.matchAll(blocks)) {
    html += lines(markdown.slice(at, block.index)) + code(block[3] ?? '', block[2]?.trim() ?? '')
    at = block.index + block[0].length
  }
  return html + lines(markdown.slice(at))
}

function code(text: string, language: string): string {
  const inner = escaped(text)
  return /^[\w+#-]{1,30}$/.test(language)
    ? `<pre><code class="language-${language}">${inner}</code></pre>`
    : `<pre>${inner}</pre>`
}

const lines = (text: string): string => text.split('\n').map(line).join('\n')

function line(text: string): string {
  const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(text)?.[1]
  return heading === undefined ? spans(text) : `<b>${spans(heading, false)}</b>`
}

/** Handles code first, because markup inside it has no meaning. */
function spans(text: string, bold = true): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((piece) =>
      piece.length > 2 && piece.startsWith('`') && piece.endsWith('`')
        ? `<code>${escaped(piece.slice(1, -1))}</code>`
        : words(escaped(piece), bold),
    )
    .join('')
}

function words(text: string, bold: boolean): string {
  const linked = text.replaceAll(
    /\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()"<>]{1,1000})\)/g,
    (_, label: string, url: string) => `<a href="${url}">${label}</a>`,
  )
  return bold ? linked.replaceAll(/\*\*([^*<>\n]+)\*\*/g, '<b>$1</b>') : linked.replaceAll('**', '')
}
