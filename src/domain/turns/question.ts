/**
 * Questions of agents (AP13): a form with fields, or an address to visit. Checks an answer against
 * the form's schema, the part of JSON Schema that ACP allows. A `pattern` is shown and left to the
 * agent: its regular expression is not run here. Pure.
 */

import { inField, type NoticeText } from '../notices.ts'
import { refusalText } from '../refusal-texts.ts'

interface Choice {
  readonly const: string
  readonly title: string
  readonly description?: string | undefined
}

export interface QuestionField {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly enum?: readonly string[] | undefined
  readonly oneOf?: readonly Choice[] | undefined
  readonly items?:
    | {
        readonly enum?: readonly string[] | undefined
        readonly anyOf?: readonly Choice[] | undefined
      }
    | undefined
  readonly format?: string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
}

export interface QuestionSchema {
  readonly properties: Readonly<Record<string, QuestionField>>
  readonly required?: readonly string[] | undefined
}

export type QuestionAction = 'accept' | 'decline' | 'cancel'
export type AnswerContent = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface QuestionAnswer {
  readonly action: QuestionAction
  /** With `accept`; null for a question without a form. */
  readonly content: AnswerContent | null
}

/** The values to choose from; undefined: any. */
function choicesOf({ type, items, ...field }: QuestionField): readonly string[] | undefined {
  const titled = type === 'array' ? items?.anyOf : field.oneOf
  return titled?.map((choice) => choice.const) ?? (type === 'array' ? items?.enum : field.enum)
}

/** The first fault in the content of an accepted form; undefined: there is none. */
export function problemOf(
  { properties, required = [] }: QuestionSchema,
  content: AnswerContent,
): NoticeText | undefined {
  const about = (field: string, why: NoticeText): NoticeText => inField(`content.${field}`, why)
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    const why = field ? problemOfValue(field, value) : refusalText('answerUnknown')
    if (why) return about(name, why)
  }
  const missing = required.find((name) => !Object.hasOwn(content, name))
  return missing === undefined ? undefined : about(missing, refusalText('answerMissing'))
}

function problemOfValue(
  field: QuestionField,
  value: AnswerContent[string],
): NoticeText | undefined {
  const { type } = field
  const isList = Array.isArray(value)
  const fitsAlone = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
  const fits = type === 'array' ? isList : fitsAlone
  if (!fits) return refusalText('answerKind', { kind: type })
  const choices = choicesOf(field)
  const chosen = (isList ? value : [value]) as readonly unknown[]
  if (choices && !chosen.every((each) => choices.includes(String(each))))
    return refusalText('answerChoice', { allowed: choices.join(', ') })
  if (isList && new Set(chosen).size < chosen.length) return refusalText('answerTwice')
  if (isList) return outside(chosen.length, field.minItems, field.maxItems, 'answerItems')
  if (typeof value === 'number') return outside(value, field.minimum, field.maximum, 'answerRange')
  if (typeof value !== 'string') return undefined
  if (field.format !== undefined && formats[field.format]?.(value) === false)
    return refusalText('answerFormat', { format: field.format })
  return outside([...value].length, field.minLength, field.maxLength, 'answerLength')
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text))
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => text.length === 10 && isDate(text),
  'date-time': (text) => text.length > 10 && isDate(text),
}

type BoundCode = 'answerItems' | 'answerRange' | 'answerLength'

function outside(
  value: number,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
  code: BoundCode,
) {
  return value >= min && value <= max
    ? undefined
    : refusalText(code, { min: boundText(min), max: boundText(max) })
}

const boundText = (bound: number): string => (Number.isFinite(bound) ? String(bound) : '…')
