/**
 * Notices: what the server tells people, as a code with parameters beside its English words. Rows and messages carry both; whoever
 * shows one in another language makes the words from the code. Text of agents, git and other programs has no notice. Pure.
 */
export interface Notice {
  readonly code: string
  readonly params: Readonly<Record<string, string | number | Notice>>
}

/** The English words of a notice, with the notice they were made from. */
export interface NoticeText {
  readonly text: string
  readonly notice: Notice
}

/** A plain string is the text of another program. */
export type Detail = string | NoticeText

export const textOf = (detail: Detail): string => (typeof detail === 'string' ? detail : detail.text)
export const noticeOf = (detail: Detail | null | undefined): Notice | null =>
  typeof detail === 'object' && detail !== null ? detail.notice : null

export type Forms<Code extends string = string> = Readonly<Record<Code, string>>
type NamesIn<Form extends string> = Form extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type Params<Form extends string> = NamesIn<Form> extends never ? [] : [Readonly<Record<NamesIn<Form>, number | Detail>>]

/** Makes a notice of a list, with the parameters its form has. */
export type NoticeMaker<List extends Forms, Made = NoticeText> = <Code extends keyof List & string>(
  code: Code,
  ...params: Params<List[Code]>
) => Made

const filled = (form: string, params: Readonly<Record<string, unknown>>): string =>
  form.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))

export const noticeMaker =
  <List extends Forms>(list: List): NoticeMaker<List> =>
  (code, ...[params = {}]) =>
    notice(code, params as Readonly<Record<string, number | Detail>>, list[code] ?? '')

/** A notice whose English form the caller brings: for code that the page loads too, which loads no list in English. */
export function notice(code: string, params: Readonly<Record<string, number | Detail>>, form: string): NoticeText {
  const entries = Object.entries(params)
  const texts = entries.map(([name, value]) => [name, typeof value === 'number' ? value : textOf(value)] as const)
  const values = entries.map(([name, value]) => [name, typeof value === 'object' ? value.notice : value] as const)
  return { text: filled(form, Object.fromEntries(texts)), notice: { code, params: Object.fromEntries(values) } }
}

/** Forms that only join two parts, and are the same in every language. */
const joints = { inField: '{field}: {why}', withOutput: '{what}\n{output}' } as const

/** Says what is wrong with a field. */
export const inField = (field: string, why: Detail): NoticeText => notice('inField', { field, why }, joints.inField)

/** A list in the words of another language. */
export interface Wording {
  readonly words: Forms
  /** Words for some parameters, by their names, such as states; the others are what people and agents have called something. */
  readonly terms?: Readonly<Record<string, Forms>>
}

/** The words of a notice; undefined for a code that no list has, which a newer server may send. */
export function wordsOf({ code, params }: Notice, wordings: readonly Wording[]): string | undefined {
  const own = wordings.find(({ words }) => Object.hasOwn(words, code))
  const words = own?.words[code] ?? (joints as Forms)[code]
  if (words === undefined) return undefined
  const terms = Object.assign({}, ...(own ? [own] : wordings).map((each) => each.terms)) as NonNullable<Wording['terms']>
  const inWords = Object.entries(params).map(([name, value]) => {
    if (typeof value === 'object') return [name, wordsOf(value, wordings) ?? ''] as const
    return [name, terms[name]?.[value] ?? value] as const
  })
  return filled(words, Object.fromEntries(inWords))
}
