/**
 * Finds words that a newcomer would have to learn first (HS14): in identifiers, file names and
 * comments.
 */
import { basename } from 'node:path'
import { placeOf, type SourceFile } from './source-files.ts'

/**
 * Refused as a part of an identifier or of a file's name; the ordinary word beside it is the one to
 * use.
 */
const refusedInNames: Readonly<Record<string, string>> = {
  duty: 'job',
  lookout: 'ChangeScanner',
  keeper: 'ChannelRunner, or what it does',
  spoken: 'prompted, pushed or an ACP connection',
  speaker: 'TurnDispatcher',
  stranger: 'unpaired sender',
  obey: 'run',
  greet: 'register',
  lapse: 'expire',
  whoever: 'client, agent or caller',
  told: 'the name of what was told',
  understood: 'matchStatus, or what was read',
  // Several words, as they stand in an identifier.
  'gone on': 'mergeChapter',
  'let go': 'detach or unsubscribe',
  'look at': 'scan, inspect or read',
  'keep doing': 'runPeriodically',
  'keep safe': 'backup-and-restore',
  'in hand': 'running, assigned or pending',
  'most remembered': 'what it bounds: maxRememberedTurns',
  'longest words': 'maxErrorChars',
}

const plural: Readonly<Record<string, string>> = {
  duties: 'duty',
  lapsed: 'lapse',
  greeted: 'greet',
  obeyed: 'obey',
  lapses: 'lapse',
}

/** Refused in comments, which may speak of a "duty to" nobody. */
const refusedInComments =
  /\b(?:dut(?:y|ies)|lookouts?|keepers?|spoken to|strangers?|obeys?|whoever|has in hand)\b/gi

/** A comment that begins so has lost its noun. */
const refusedBeginning = /^(?:\/\/|\/\*\*?)\s*(?:\*\s*)?(Of|Its?) /

interface Finding {
  readonly rule: string
  readonly where: string
}

/** `letGoOf` becomes ` let go of `, so that words and runs of words are found alike. */
const wordsOf = (name: string): string =>
  ` ${name
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .map(
      (word) =>
        plural[word] ??
        (word.endsWith('s') && word.slice(0, -1) in refusedInNames ? word.slice(0, -1) : word),
    )
    .join(' ')} `

const ruledBefore = new Map<string, readonly string[]>()

function ruled(name: string): readonly string[] {
  const before = ruledBefore.get(name)
  if (before) return before
  const words = wordsOf(name)
  const found = Object.keys(refusedInNames).filter((word) => words.includes(` ${word} `))
  ruledBefore.set(name, found)
  return found
}

/** Comments, texts of one line, and templates (with what is in their braces): what is no name. */
const notNames =
  /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/**
 * Reads the text without parsing it, which would take ten times as long. A name counts once,
 * however often it is used.
 */
function oldWords(sources: readonly SourceFile[]): Finding[] {
  const found: Finding[] = []
  const names = new Map<string, string>()
  for (const source of sources) {
    const { path, text } = source
    const at = (index: number): string => placeOf(source, { type: '', start: index, end: index })
    const file = basename(path).replace(/\.\w+$/, '')
    if (ruled(file).length > 0) names.set(file, path)
    for (const { 0: part, index } of text.matchAll(notNames))
      if (part.startsWith('/'))
        for (const { rule, where } of commentFindings(part))
          found.push({ rule, where: `${at(index)} ${where}` })
    const code = text.replace(notNames, (part) => ' '.repeat(part.length))
    for (const { 0: name, index } of code.matchAll(/[A-Za-z_$][\w$]*/g))
      if (ruled(name).length > 0 && !names.has(name)) names.set(name, at(index))
  }
  const named = [...names].flatMap(([name, where]) =>
    ruled(name).map((word) => ({ rule: `name: ${word}`, where: `${where} ${name}` })),
  )
  return [...found, ...named]
}

function commentFindings(text: string): Finding[] {
  const [, beginning] = text.match(refusedBeginning) ?? []
  const where = text.slice(0, 60).replaceAll('\n', ' ')
  return [
    ...(beginning ? [{ rule: `comment begins: ${beginning === 'Of' ? 'Of' : 'It'}`, where }] : []),
    ...[...text.matchAll(refusedInComments)].map(([word]) => ({
      rule: `comment: ${singular(word.toLowerCase())}`,
      where,
    })),
  ]
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')

/** How many files may export one name; more of them mean different things by it. */
const maxHomes = 3

/** Names that more files of the product export than one word has meanings for. */
function crowdedNames(sources: readonly SourceFile[]): Finding[] {
  const homes = new Map<string, Set<string>>()
  for (const { path, text } of sources.filter((each) => /^(src|web\/src)\//.test(each.path)))
    for (const [, name = ''] of text.matchAll(
      /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm,
    ))
      homes.set(name, (homes.get(name) ?? new Set()).add(path))
  return [...homes]
    .filter(([, paths]) => paths.size > maxHomes)
    .flatMap(([name, paths]) =>
      [...paths].map((where) => ({ rule: `exported in many files: ${name}`, where })),
    )
}

/** Everything that is found, by rule. */
export function findOldWords(
  sources: readonly SourceFile[],
): Readonly<Record<string, readonly string[]>> {
  const found = Map.groupBy([...oldWords(sources), ...crowdedNames(sources)], ({ rule }) => rule)
  return Object.fromEntries(
    [...found].map(([rule, findings]) => [rule, findings.map(({ where }) => where)]),
  )
}
