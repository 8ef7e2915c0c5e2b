/**
 * Notices: what the server tells people, as a code with parameters beside its English words. Rows
 * and messages carry both; a reader in another language makes the words from the code. Text of
 * agents, git and other programs has no notice. Pure.
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

export const textOf = (detail: Detail): string =>
  typeof detail === 'string' ? detail : detail.text
export const noticeOf = (detail: Detail | null | undefined): Notice | null =>
  typeof detail === 'object' && detail !== null ? detail.notice : null

/** Joins the words of a row or a message with its notice. */
export const detailFrom = <Text extends string | null>(
  text: Text,
  notice: Notice | null | undefined,
): Detail | Text => (text !== null && notice ? { text, notice } : text)

/** Bounds a detail. A longer one is cut, and is then text alone. */
export const cutDetail = (detail: Detail, maxChars: number): Detail =>
  textOf(detail).length <= maxChars ? detail : textOf(detail).slice(0, maxChars)

/** The notice as a field of an event or a message; none for the text of another program. */
export const noticeField = (detail: Detail | null): { notice?: Notice } => {
  const found = noticeOf(detail)
  return found ? { notice: found } : {}
}

/** The notices of an object with several texts, by the names of their fields. */
export type Notices = Readonly<Record<string, Notice>>

export const noticesOf = (details: Readonly<Record<string, Detail | null>>): Notices =>
  Object.fromEntries(
    Object.entries(details).flatMap(([field, detail]) => {
      const found = noticeOf(detail)
      return found ? [[field, found] as const] : []
    }),
  )

/** A detail as two fields: its words under the given name, its notice beside them. */
export const detailFields = <Name extends string, Given extends Detail | null>(
  name: Name,
  detail: Given,
) =>
  ({ [name]: detail && textOf(detail), ...noticeField(detail) }) as Readonly<
    Record<Name, string | (null extends Given ? null : never)>
  > & { readonly notice?: Notice }

/** An error that carries its notice beside its message. */
export class DetailError extends Error {
  readonly detail: Detail

  constructor(detail: Detail) {
    super(textOf(detail))
    this.detail = detail
  }
}

/** The message of any error, with its notice if it has one. */
export const detailOf = (error: unknown): Detail => {
  if (error instanceof DetailError) return error.detail
  return error instanceof Error ? error.message : String(error)
}

export type Forms<Code extends string = string> = Readonly<Record<Code, string>>
type NamesIn<Form extends string> = Form extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type Params<Form extends string> =
  NamesIn<Form> extends never ? [] : [Readonly<Record<NamesIn<Form>, number | Detail>>]

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

/**
 * A notice whose English form the caller brings: for code that the page loads too, which loads no
 * list in English.
 */
export function notice(
  code: string,
  params: Readonly<Record<string, number | Detail>>,
  form: string,
): NoticeText {
  const entries = Object.entries(params)
  const texts = entries.map(
    ([name, value]) => [name, typeof value === 'number' ? value : textOf(value)] as const,
  )
  const values = entries.map(
    ([name, value]) => [name, typeof value === 'object' ? value.notice : value] as const,
  )
  return {
    text: filled(form, Object.fromEntries(texts)),
    notice: { code, params: Object.fromEntries(values) },
  }
}

/** Forms that only join two parts, and are the same in every language. */
const joints = {
  inField: '{field}: {why}',
  withOutput: '{what}\n{output}',
  about: '{what}: {why}',
  both: '{what}\n\n{more}',
} as const

/** Adds the output of a program. */
export const withOutput = (what: Detail, output: string): Detail =>
  output === '' ? what : notice('withOutput', { what, output }, joints.withOutput)

/** Names what a text is about, such as the request that was refused. */
export const about = (what: Detail, why: Detail): NoticeText =>
  notice('about', { what, why }, joints.about)

/** Joins two notices as paragraphs. */
export const both = (what: NoticeText, more: NoticeText): NoticeText =>
  notice('both', { what, more }, joints.both)

const afterTextCode = 'afterText'

/**
 * Adds a notice to the text of an agent. The text itself is no parameter: `at` says where the
 * notice begins.
 */
export function afterText(beginning: string, what: NoticeText): NoticeText {
  if (beginning === '') return what
  const before = `${beginning}\n\n`
  return {
    text: before + what.text,
    notice: { code: afterTextCode, params: { at: before.length, what: what.notice } },
  }
}

/** Says what is wrong with a field. */
export const inField = (field: string, why: Detail): NoticeText =>
  notice('inField', { field, why }, joints.inField)

/** A list in the words of another language. */
export interface Wording {
  readonly words: Forms
  /**
   * Words for some parameters, by their names, such as states; the others are what people and
   * agents have called something.
   */
  readonly terms?: Readonly<Record<string, Forms>>
}

/**
 * The words of a notice beside its text: of one after an agent's text, both. Undefined as in
 * `wordsOf`.
 */
export function wordsIn(
  text: string,
  given: Notice,
  wordings: readonly Wording[],
): string | undefined {
  const { at, what } = given.params
  if (given.code !== afterTextCode || typeof at !== 'number' || typeof what !== 'object')
    return wordsOf(given, wordings)
  const words = at < text.length ? wordsOf(what, wordings) : undefined
  return words === undefined ? undefined : text.slice(0, at) + words
}

/**
 * The words of a notice; undefined if a list lacks its code or that of a notice within it, which a
 * newer server may send.
 */
function wordsOf({ code, params }: Notice, wordings: readonly Wording[]): string | undefined {
  const own = wordings.find(({ words }) => Object.hasOwn(words, code))
  const words = own?.words[code] ?? (joints as Forms)[code]
  if (words === undefined) return undefined
  const terms = Object.assign(
    {},
    ...(own ? [own] : wordings).map((each) => each.terms),
  ) as NonNullable<Wording['terms']>
  const inWords = Object.entries(params).map(
    ([name, value]) =>
      [
        name,
        typeof value === 'object' ? wordsOf(value, wordings) : (terms[name]?.[value] ?? value),
      ] as const,
  )
  return inWords.some(([, value]) => value === undefined)
    ? undefined
    : filled(words, Object.fromEntries(inWords))
}
