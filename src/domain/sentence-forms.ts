/**
 * Sentences with places for particulars: filled in, found again by their form, and said with the words of another language. Knows none
 * of the lists: a page loads them with the words of another language alone. Pure.
 */
type NamesIn<Form extends string> = Form extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type Particulars<Form extends string> = NamesIn<Form> extends never ? [] : [Readonly<Record<NamesIn<Form>, string | number>>]

type Forms<Code extends string = string> = Readonly<Record<Code, string>>

const inserted = (form: string, particulars: Readonly<Record<string, string | number>>): string =>
  form.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(particulars[name] ?? ''))

/** Says a sentence of a list, with the particulars that its form has. */
export type Say<List extends Forms> = <Code extends keyof List & string>(
  code: Code,
  ...particulars: Particulars<List[Code]>
) => string

export const sayer =
  <List extends Forms>(list: List): Say<List> =>
  (code, ...[particulars]) =>
    inserted(list[code] ?? '', particulars ?? {})

interface Understood<Code extends string> {
  readonly code: Code
  readonly particulars: Readonly<Record<string, string>>
}

const formOf = (sentence: string): RegExp =>
  new RegExp(
    `^${sentence.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>.+?)`)}$`,
  )

/** Made when the first is looked for: most readers never meet one. */
const known = new WeakMap<object, readonly (readonly [string, RegExp])[]>()
const maxLine = 4000

/** Which sentence of the list a line is; undefined for what others have said. */
export function understood<Code extends string>(line: string, list: Forms<Code>): Understood<Code> | undefined {
  if (line.length > maxLine) return undefined
  const forms = known.get(list) ?? Object.entries<string>(list).map(([code, form]) => [code, formOf(form)] as const)
  known.set(list, forms)
  for (const [code, form] of forms) {
    const found = form.exec(line)
    if (found) return { code: code as Code, particulars: { ...found.groups } }
  }
  return undefined
}

/** Those that have the exit in them, as the list has them. */
const exits = { exitCode: 'It ended with exit code {code}', endedBySignal: 'It was ended by {signal}' }

export const tellsExit = (line: string | null): boolean => line !== null && understood(line, exits) !== undefined

/** A list in the words of another language. */
export interface Spoken {
  /** As they are said in English. */
  readonly forms: Forms
  readonly words: Forms
  /** Words for some particulars, by their names, such as states; the others are what people and agents have called something. */
  readonly terms?: Readonly<Record<string, Forms>>
}

/** A sentence within a sentence within a sentence is no sentence of ours. */
const deepest = 3

/** The first line in other words, as far as it is in a list; what an agent wrote stands in the lines after it. null: in English. */
export function saidIn(spoken: Spoken | readonly Spoken[] | null, text: string, depth = 0): string {
  if (spoken === null || depth === deepest) return text
  const [first = '', ...rest] = text.split('\n')
  for (const { forms, words, terms } of [spoken].flat()) {
    const found = understood(first, forms)
    if (!found) continue
    const within = ([name, value]: [string, string]) =>
      [name, terms?.[name]?.[value] ?? saidIn(spoken, value, depth + 1)] as const
    const particulars = Object.fromEntries(Object.entries(found.particulars).map(within))
    return [inserted(words[found.code] ?? first, particulars), ...rest].join('\n')
  }
  return text
}
