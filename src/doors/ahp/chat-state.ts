/** The state of a chat and its actions, as the Agent Host Protocol 0.9 has them. */

export interface UserMessage {
  readonly text: string
  readonly origin: { readonly kind: 'user' }
}

export interface ToolOption {
  readonly id: string
  readonly label: string
  readonly kind: 'approve' | 'deny'
}

/** Which fields there are depends on the status. */
export interface ToolCallState {
  readonly toolCallId: string
  readonly status:
    | 'streaming'
    | 'pending-confirmation'
    | 'running'
    | 'auth-required'
    | 'pending-result-confirmation'
    | 'completed'
    | 'cancelled'
  readonly [field: string]: unknown
}

export type ResponsePart =
  | { readonly kind: 'markdown' | 'reasoning'; readonly id: string; readonly content: string }
  | { readonly kind: 'toolCall'; readonly toolCall: ToolCallState }
  | {
      readonly kind: 'inputRequest'
      readonly request: InputRequest
      readonly response?: string | undefined
    }
  | { readonly kind: 'error'; readonly error: object; readonly resumable?: boolean | undefined }

export interface InputRequest {
  readonly id: string
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  readonly [field: string]: unknown
}

export interface ActiveTurn {
  readonly id: string
  readonly startedAt: string
  readonly message: UserMessage
  readonly responseParts: readonly ResponsePart[]
  readonly usage?: object | null | undefined
}

export interface EndedTurn extends ActiveTurn {
  readonly duration: number
  readonly state: 'complete' | 'cancelled' | 'error'
}

export interface PendingMessage {
  readonly id: string
  readonly message: UserMessage
}

export interface ChatState {
  readonly resource: string
  readonly title: string
  readonly status: number
  readonly modifiedAt: string
  readonly turns: readonly EndedTurn[]
  readonly activeTurn?: ActiveTurn | undefined
  readonly queuedMessages?: readonly PendingMessage[] | undefined
  readonly steeringMessage?: PendingMessage | undefined
  readonly [field: string]: unknown
}

/** One that a client sends may hold anything; one of ours is made in chat-changes.ts. */
export interface ChatAction {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: each type has fields of its own
  readonly [field: string]: any
}
