/**
 * The answer to a question of an agent (AP13): the fields of its form, or the address it asks to
 * visit, and accept or decline.
 */
import { type ReactNode, useState } from 'react'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { takeApproval } from '../live/approvals.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

type Question = Pick<NonNullable<Approval['question']>, 'schema' | 'url'>
type Form = NonNullable<Question['schema']>
type Field = Form['properties'][string]
export type Answer = Pick<
  NonNullable<NonNullable<Approval['question']>['answer']>,
  'action' | 'content'
>
type Value = NonNullable<Answer['content']>[string] | undefined

interface QuestionFormProps {
  readonly question: Question
  readonly waiting: boolean
  readonly error: unknown
  readonly onAnswer: (answer: Answer) => void
  /** Beside the buttons. */
  readonly foot?: ReactNode
}

export function QuestionForm({
  question: { schema, url },
  waiting,
  error,
  onAnswer,
  foot,
}: QuestionFormProps) {
  const { approvals } = useWords()
  const fields = Object.entries(schema?.properties ?? {})
  const [values, setValues] = useState<Readonly<Record<string, Value>>>(() =>
    Object.fromEntries(fields.map(([name, field]) => [name, field.default])),
  )
  const chosen = choiceIn(fields)
  const accept = (choice: Readonly<Record<string, Value>> = {}) => {
    const given = Object.entries({ ...values, ...choice }).filter(
      ([, value]) => value !== undefined && value !== '',
    )
    onAnswer({
      action: 'accept',
      content: schema && (Object.fromEntries(given) as Answer['content']),
    })
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        accept()
      }}
    >
      {schema?.description && (
        <p className="text-sm text-quiet whitespace-pre-wrap">{schema.description}</p>
      )}
      {chosen && <ChoiceHints field={chosen[1]} />}
      {fields.map(([name, field]) =>
        name === chosen?.[0] ? null : (
          <FieldInput
            key={name}
            name={name}
            field={field}
            optional={!schema?.required?.includes(name)}
            value={values[name]}
            onValue={(value) => setValues((before) => ({ ...before, [name]: value }))}
          />
        ),
      )}
      {url && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer noopener"
          className="w-fit underline [overflow-wrap:anywhere]"
        >
          {url}
        </a>
      )}
      <ProblemNote error={error} />
      <div className="flex flex-wrap gap-2">
        {chosen &&
          choicesOf(chosen[1]).map(({ const: value, title }) => (
            <Button
              key={value}
              className="max-w-full whitespace-normal!"
              disabled={waiting}
              data-press
              onClick={() => accept({ [chosen[0]]: value })}
            >
              <span dir="auto">{title}</span>
            </Button>
          ))}
        {(!chosen || fields.length > 1) && (
          <SubmitButton look={chosen ? 'plain' : 'primary'} waiting={waiting} data-press>
            {url ? approvals.visited : approvals.answer}
          </SubmitButton>
        )}
        <Button
          look="danger"
          disabled={waiting}
          data-press
          onClick={() => onAnswer({ action: 'decline', content: null })}
        >
          {approvals.decline}
        </Button>
        {foot}
      </div>
    </form>
  )
}

/** More than this are chosen from a list. */
const mostButtons = 6

/**
 * The one choice that a question comes down to, whose answers are buttons in the agent's own words;
 * beside it at most a line for another answer.
 */
function choiceIn(fields: readonly (readonly [string, Field])[]) {
  const choices = fields.filter(([, field]) => choicesOf(field).length > 0)
  const [only] = choices
  const rest = fields.filter((each) => each !== only)
  const isPlain = rest.length === 0 || (rest.length === 1 && rest[0]?.[1].type === 'string')
  return only &&
    choices.length === 1 &&
    isPlain &&
    only[1].type !== 'array' &&
    choicesOf(only[1]).length <= mostButtons
    ? only
    : undefined
}

interface Choice {
  readonly const: string
  readonly title: string
  readonly description?: string | undefined
}

function choicesOf(field: Field): readonly Choice[] {
  const titled = field.type === 'array' ? field.items?.anyOf : field.oneOf
  const plain = field.type === 'array' ? field.items?.enum : field.enum
  return titled ?? plain?.map((each) => ({ const: each, title: each })) ?? []
}

/** What the field and its answers mean, where the agent says so. */
function ChoiceHints({ field }: { field: Field }) {
  const described = choicesOf(field).filter(({ description }) => description)
  if (!field.description && described.length === 0) return null
  return (
    <div className="flex flex-col gap-1 text-sm text-quiet" dir="auto">
      {field.description && <p className="whitespace-pre-wrap">{field.description}</p>}
      {described.map(({ const: value, title, description }) => (
        <p key={value} className="whitespace-pre-wrap">
          {title}: {description}
        </p>
      ))}
    </div>
  )
}

interface FieldInputProps {
  readonly name: string
  readonly field: Field
  readonly optional: boolean
  readonly value: Value
  readonly onValue: (value: Value) => void
}

function FieldInput({ name, field, optional, value, onValue }: FieldInputProps) {
  const label = field.title ?? name
  const found = choicesOf(field)
  const choices = found.length > 0 ? found : undefined
  const described = choices
    ?.flatMap(({ title, description }) => (description ? [`${title}: ${description}`] : []))
    .join('\n')
  const hint = [field.description, described, field.pattern].filter(Boolean).join('\n') || undefined
  const shown = hint && <span className="whitespace-pre-wrap">{hint}</span>
  if (field.type === 'array') {
    const chosen: readonly string[] = Array.isArray(value) ? value : []
    return (
      <fieldset className="flex flex-col gap-1">
        <legend className="font-medium">{label}</legend>
        {choices?.map((choice) => (
          <Tick
            key={choice.const}
            label={choice.title}
            checked={chosen.includes(choice.const)}
            onChecked={(yes) =>
              onValue([
                ...chosen.filter((each) => each !== choice.const),
                ...(yes ? [choice.const] : []),
              ])
            }
          />
        ))}
        {shown && <p className="text-sm text-faint">{shown}</p>}
      </fieldset>
    )
  }
  if (field.type === 'boolean')
    return (
      <Tick
        label={label}
        hint={shown}
        checked={value === true}
        onChecked={(checked) => onValue(checked)}
      />
    )
  if (choices) {
    const options = [
      { value: '', name: '–' },
      ...choices.map((choice) => ({ value: choice.const, name: choice.title })),
    ]
    return (
      <SelectField
        label={label}
        hint={shown}
        value={String(value ?? '')}
        options={options}
        onValue={onValue}
      />
    )
  }
  const isNumber = field.type === 'number' || field.type === 'integer'
  return (
    <TextField
      label={label}
      hint={shown}
      optional={optional}
      inputMode={isNumber ? 'decimal' : 'text'}
      value={String(value ?? '')}
      onValue={(text) =>
        onValue(isNumber && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text)
      }
    />
  )
}

interface TickProps {
  readonly label: string
  readonly hint?: React.ReactNode
  readonly checked: boolean
  readonly onChecked: (checked: boolean) => void
}

const Tick = ({ label, hint, checked, onChecked }: TickProps) => (
  <label className="flex min-h-6 items-baseline gap-2">
    <input
      type="checkbox"
      checked={checked}
      onChange={(event) => onChecked(event.target.checked)}
    />
    <span>
      {label}
      {hint && <span className="block text-sm text-faint">{hint}</span>}
    </span>
  </label>
)

interface QuestionApprovalProps {
  readonly approval: Approval
  /** For how many seconds the answer can be undone (AP15). */
  readonly hold?: number | undefined
  readonly onDecided?: (() => void) | undefined
  readonly foot?: ReactNode
}

/** The form of a question in a list of approvals or a chat, answered over HTTP. */
export function QuestionApproval({ approval, hold, onDecided, foot }: QuestionApprovalProps) {
  const { waiting, error, send } = useSending<Approval>()
  if (!approval.question || approval.status !== 'pending') return null
  const answer = async (body: Answer) => {
    const params = { questionId: String(approval.id) }
    const answered = await send([approval.id, body], (options) =>
      client.post('/api/questions/{questionId}/answer', {
        params,
        body: {
          action: body.action,
          content: body.content as Body,
          ...(hold !== undefined && { hold }),
        },
        ...options,
      }),
    )
    if (!answered) return
    takeApproval(answered)
    onDecided?.()
  }
  return (
    <QuestionForm
      question={approval.question}
      waiting={waiting}
      error={error}
      foot={foot}
      onAnswer={(given) => void answer(given)}
    />
  )
}

type Body = Record<string, string | number | boolean | string[]> | null
