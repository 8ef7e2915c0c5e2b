/** A question's form (AP13) as questions of the Agent Host Protocol, and the answers back. Pure. */
import * as z from 'zod'
import type { Question } from '../../protocol/turns/question.ts'

type Form = NonNullable<Question['schema']>
type Field = Form['properties'][string]

export const questionsOf = ({ properties, required = [] }: Form): object[] =>
  Object.entries(properties).map(([id, field]) => {
    const options = optionsOf(field)
    return {
      id,
      kind: kindOf(field),
      message: field.description ?? field.title ?? id,
      ...(field.title !== undefined && { title: field.title }),
      required: required.includes(id),
      ...(options.length > 0 && { options }),
    }
  })

function kindOf(field: Field): string {
  if (field.type === 'array') return 'multi-select'
  if (optionsOf(field).length > 0) return 'single-select'
  if (field.type === 'boolean') return 'boolean'
  return field.type === 'string' ? 'text' : 'number'
}

function optionsOf(field: Field): { id: string; label: string }[] {
  const named = field.oneOf ?? field.items?.anyOf
  if (named) return named.map((each) => ({ id: each.const, label: each.title }))
  return (field.enum ?? field.items?.enum ?? []).map((value) => ({ id: value, label: value }))
}

/** What a client sends: answers by question, each a value with its kind. */
export const Answers = z.record(
  z.string().max(1000),
  z.looseObject({
    state: z.string().max(100),
    value: z
      .looseObject({
        kind: z.string().max(100),
        value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
        freeformValues: z.array(z.string()).optional(),
      })
      .optional(),
  }),
)

type Given = string | number | boolean | string[]

/** What is skipped is left out; a list where the form wants one. */
export function answersOf(
  answers: z.output<typeof Answers>,
  schema: Form | null,
): Record<string, Given> {
  const content: Record<string, Given> = {}
  for (const [id, { value }] of Object.entries(answers)) {
    const given = value?.value ?? value?.freeformValues?.[0]
    if (given === undefined) continue
    const wantsList = schema?.properties[id]?.type === 'array'
    content[id] = wantsList && !Array.isArray(given) ? [String(given)] : given
  }
  return content
}
