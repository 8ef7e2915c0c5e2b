/**
 * Recognises the English sentences of rows, events and files that were written before they carried
 * notices, and of coordinators of such a build. The next major version deletes this file.
 */
import type { Forms, Notice } from '../domain/notices.ts'

/** A parameter that a form names again is the same text again. */
function formOf(sentence: string): RegExp {
  const seen = new Set<string>()
  const place = (_: string, name: string): string => {
    const again = seen.has(name)
    seen.add(name)
    return again ? `\\k<${name}>` : `(?<${name}>.+?)`
  }
  return new RegExp(
    `^${sentence.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, place)}$`,
  )
}

/** Made when the first is looked for: most readers never meet one. */
const formsByList = new WeakMap<Forms, readonly (readonly [string, RegExp])[]>()
const maxLine = 4000
/** How deep a sentence can lie within another. */
const deepest = 3

/**
 * The notice of an old text by the form of its first line; undefined for the text of another
 * program.
 */
export function noticeOfOldText(text: string, list: Forms, depth = 0): Notice | undefined {
  const end = text.indexOf('\n')
  if (end >= 0) {
    const what = noticeOfOldText(text.slice(0, end), list, depth)
    return what && { code: 'withOutput', params: { what, output: text.slice(end + 1) } }
  }
  if (text.length > maxLine || depth === deepest) return undefined
  const forms =
    formsByList.get(list) ??
    Object.entries(list).map(([code, form]) => [code, formOf(form)] as const)
  formsByList.set(list, forms)
  for (const [code, form] of forms) {
    const found = form.exec(text)
    if (!found) continue
    const params = Object.entries(found.groups ?? {}).map(([name, value]) => [
      name,
      noticeOfOldText(value, list, depth + 1) ?? value,
    ])
    return { code, params: Object.fromEntries(params) }
  }
  return undefined
}

/** The sentences that tell how a process exited: the few that the page needs in English too. */
const exits = {
  exitCode: 'It ended with exit code {code}',
  endedBySignal: 'It was ended by {signal}',
}

export const exitNoticeOfOldText = (text: string): Notice | undefined =>
  noticeOfOldText(text, exits)
