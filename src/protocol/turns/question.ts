/**
 * A question of an agent on the wire (AP13): a form with a schema, or an address to visit. Every
 * part is bounded.
 */
import * as z from 'zod'
import type { QuestionAnswer as Answer } from '../../domain/turns/question.ts'
import { storable, Time } from '../text.ts'
import { maxListed, maxShownLine, maxShownText } from './agent-update.ts'

const maxFields = 50
/** Characters of a question, and of an answer, as JSON. */
export const maxQuestionChars = 64 * 1024
const maxAnswerText = 10_000

const Line = z.string().max(maxShownLine).overwrite(storable)
const Text = z.string().max(maxShownText).overwrite(storable)
const Choice = z.object({ const: Line, title: Line, description: Text.optional() })
const Choices = z.array(Choice).min(1).max(maxListed).optional()
const Values = z.array(Line).min(1).max(maxListed).optional()
const Count = z.int().min(0).optional()

const Field = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: Line.optional(),
  description: Text.optional(),
  default: z.union([Text, z.number(), z.boolean(), z.array(Line).max(maxListed)]).optional(),
  enum: Values,
  oneOf: Choices,
  items: z.object({ type: z.string().optional(), enum: Values, anyOf: Choices }).optional(),
  format: Line.optional(),
  pattern: Line.optional(),
  minLength: Count,
  maxLength: Count,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: Count,
  maxItems: Count,
})

/** A JSON Schema of primitive fields, as ACP's elicitation has it. */
const QuestionForm = z.object({
  type: z.literal('object').default('object'),
  title: Line.optional(),
  description: Text.optional(),
  properties: z
    .record(Line, Field)
    .default({})
    .refine((properties) => Object.keys(properties).length <= maxFields, `at most ${maxFields}`),
  required: z.array(Line).max(maxFields).optional(),
})

export const Question = z
  .object({
    message: Text,
    /** null: there is no form, but an address. */
    schema: QuestionForm.nullable(),
    /** Where the person does what is asked; null in a form. */
    url: z
      .url({ protocol: /^https?$/ })
      .max(4096)
      .nullable(),
  })
  .refine((question) => JSON.stringify(question).length <= maxQuestionChars, 'is too long')
export type Question = z.output<typeof Question>

const questionActions = ['accept', 'decline', 'cancel'] as const

const AnswerContent = z
  .record(
    Line,
    z.union([
      z.string().max(maxAnswerText).overwrite(storable),
      z.number(),
      z.boolean(),
      z.array(Line).max(maxListed),
    ]),
  )
  .refine((content) => JSON.stringify(content).length <= maxQuestionChars, 'is too long')

/** `content` belongs to `accept`. */
export const answerFields = { action: z.enum(questionActions), content: AnswerContent.nullish() }
export const QuestionAnswer = z.object({
  action: answerFields.action,
  content: AnswerContent.nullable(),
})
export type QuestionAnswer = Answer

/** A question that waits for a person. Its id is the number of its approval. */
export const AskedQuestion = z.object({
  questionId: z.int(),
  messageId: z.string(),
  ...Question.shape,
  deadline: Time,
})
export type AskedQuestion = z.output<typeof AskedQuestion>
