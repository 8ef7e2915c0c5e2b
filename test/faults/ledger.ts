/**
 * What the clients of a load know: which writes they tried, which were acknowledged and with what
 * answer, which were refused. The oracle holds it against what the store has. Written by the test's
 * side only, never by the product.
 */

export const productUseCases = [
  'create-project',
  'change-project',
  'delete-project',
  'create-agent',
  'assign-agent',
  'unassign-agent',
  'add-person',
] as const

/** The last two write everything and are refused then. */
export type LoadUseCase =
  | (typeof productUseCases)[number]
  | 'refuse-after-writing'
  | 'fault-after-writing'

/** The last letter of an attempt's id that says it has a receipt key. */
export const keyedEnd = 'k'

/**
 * Who the product says did it: each attempt under its own id, but only the owner may add people.
 */
export const byOf = ({ id, useCase }: Attempt): string => (useCase === 'add-person' ? 'owner' : id)

export interface Attempt {
  readonly id: string
  /** Whose it is: one writer's attempts follow one another, each after the answer to the last. */
  readonly writer: string
  readonly useCase: LoadUseCase
  readonly input: Readonly<Record<string, unknown>>
  /** Sent with a receipt key (the id), so that it may be sent again. */
  readonly keyed: boolean
  /** Must be refused; being accepted is a finding. */
  readonly mustFail: boolean
}

export type Answer = Readonly<Record<string, unknown>>

/** What a load tells of itself, in the order it happened. */
export type LoadReport =
  | { readonly type: 'tried'; readonly attempt: Attempt }
  | { readonly type: 'acknowledged'; readonly id: string; readonly answer: Answer | null }
  /**
   * `certain`: the answer says that nothing was changed. Without it the write may or may not be
   * there.
   */
  | {
      readonly type: 'refused'
      readonly id: string
      readonly code: string
      readonly certain: boolean
    }
  /** Something no store may do, seen by a client. */
  | { readonly type: 'violation'; readonly text: string }
  /** A file was written. */
  | { readonly type: 'kept'; readonly file: string; readonly text: string }
  | { readonly type: 'opened' }
  /** What `check` said when the work was over: null when all is well. */
  | {
      readonly type: 'checked'
      readonly refusal: { readonly code: string; readonly text: string } | null
    }
  | { readonly type: 'closing' }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly text: string }

export interface Acknowledged {
  readonly attempt: Attempt
  readonly answer: Answer | null
  /** The event's mark and exact text, as the answer implies them. */
  readonly mark: string
  readonly data: string
  /** Acknowledged when it was sent again after a restart: it may have been done long before. */
  readonly late: boolean
}

export class Ledger {
  readonly acknowledged = new Map<string, Acknowledged>()
  readonly refused = new Map<string, Attempt>()
  readonly violations: string[] = []
  readonly #open = new Map<string, Attempt>()
  readonly #retried = new Set<string>()
  readonly #by: (attempt: Attempt) => string

  /** `by`: who the product will say did it; over HTTP that is whose token it was. */
  constructor(by: (attempt: Attempt) => string = byOf) {
    this.#by = by
  }

  take(report: LoadReport): void {
    if (report.type === 'violation') this.violations.push(report.text)
    if (report.type === 'tried') {
      if (this.#open.has(report.attempt.id)) this.#retried.add(report.attempt.id)
      this.#open.set(report.attempt.id, report.attempt)
      return
    }
    if (report.type !== 'acknowledged' && report.type !== 'refused') return
    const attempt = this.#open.get(report.id)
    if (!attempt) return
    if (report.type === 'refused' && !report.certain) return
    this.#open.delete(report.id)
    if (report.type === 'refused') {
      this.refused.set(attempt.id, attempt)
      if (!attempt.mustFail)
        this.violations.push(`${attempt.id} (${attempt.useCase}) was refused with ${report.code}`)
      return
    }
    if (attempt.mustFail)
      this.violations.push(`${attempt.id} (${attempt.useCase}) was accepted, but had to be refused`)
    const data = JSON.stringify(eventOf(attempt, report.answer, this.#by(attempt)))
    const late = this.#retried.has(attempt.id)
    this.acknowledged.set(attempt.id, {
      attempt,
      answer: report.answer,
      mark: markOfAttempt(attempt),
      data,
      late,
    })
  }

  /** Tried and never answered, and safe to send again. */
  unresolved(): Attempt[] {
    return [...this.#open.values()].filter(({ keyed }) => keyed)
  }
}

/** The body of the event that an answer implies. */
function eventOf({ useCase, input }: Attempt, answer: Answer | null, by: string): unknown {
  switch (useCase) {
    case 'create-project':
    case 'change-project':
    case 'refuse-after-writing':
    case 'fault-after-writing':
      return { project: answer, by }
    case 'create-agent': {
      const { passkey: _, ...agent } = answer ?? {}
      return { agent, by }
    }
    case 'add-person': {
      const { token: _, ...person } = answer ?? {}
      return { person, by }
    }
    case 'delete-project':
      return { projectId: input['projectId'], by }
    case 'assign-agent':
    case 'unassign-agent':
      return { projectId: input['projectId'], agentId: input['agentId'], by }
  }
}

/**
 * Tells one attempt's event from every other: names are given out once, and a pair is assigned
 * once.
 */
export function markOfAttempt({ useCase, input }: Attempt): string {
  switch (useCase) {
    case 'refuse-after-writing':
    case 'fault-after-writing':
      return `create-project ${input['name']}`
    case 'create-project':
    case 'change-project':
    case 'create-agent':
    case 'add-person':
      return `${useCase} ${input['name']}`
    case 'delete-project':
      return `${useCase} ${input['projectId']}`
    case 'assign-agent':
    case 'unassign-agent':
      return `${useCase} ${input['projectId']} ${input['agentId']}`
  }
}

interface EventBody {
  readonly project?: { readonly name: string }
  readonly agent?: { readonly name: string }
  readonly person?: { readonly name: string }
  readonly projectId?: string
  readonly agentId?: string
}

export function markOfEvent(type: string, body: EventBody): string {
  switch (type) {
    case 'project-created':
      return `create-project ${body.project?.name}`
    case 'project-changed':
      return `change-project ${body.project?.name}`
    case 'project-deleted':
      return `delete-project ${body.projectId}`
    case 'agent-created':
      return `create-agent ${body.agent?.name}`
    case 'person-added':
      return `add-person ${body.person?.name}`
    case 'agent-assigned':
      return `assign-agent ${body.projectId} ${body.agentId}`
    case 'agent-unassigned':
      return `unassign-agent ${body.projectId} ${body.agentId}`
    default:
      return `${type} is not of this load`
  }
}
