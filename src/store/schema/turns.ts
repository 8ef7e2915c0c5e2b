/** The tables of turns, what came of them, and the contexts they run in, as tables.ts has the others. */
import type { Instant } from '../../domain/instant.ts'
import type { ContextState, HowOpened } from '../../domain/turns/context.ts'
import type { TurnAbout, TurnState } from '../../domain/turns/lifecycle.ts'

/** One prompt and what came of it, whoever asked: a row from the commit of its first message to its end. */
export interface TurnsTable {
  /** Also `messageId` on the relay and the `clientId` of the answer. */
  id: string
  conversation_key: string
  /** Between agents: the conversation of the context that asked; empty otherwise. */
  origin_key: string
  /** null until it is dispatched. */
  context_id: string | null
  agent_id: string
  project_id: string
  launch_id: string | null
  agent_session_id: string | null
  /** The next three: of an agent in a role only. */
  role_agent_id: string | null
  user_session_id: string | null
  role: string | null
  work_session_id: string | null
  about: TurnAbout
  task_id: string | null
  /** What a summary is to cover; of a prompt in a role, the message that it is. */
  through_seq: number | null
  state: TurnState
  stop_reason: string | null
  error: string | null
  /** JSON: the parts of the prompt; of a chat's turn, once it is dispatched. */
  content: string
  /** What the context was primed with in this turn; null: nothing. */
  primer: string | null
  answer: string
  cut: number
  /** JSON: token counts and cost as the agent reported them; null: not reported. */
  usage: string | null
  /** The earlier attempt that this one repeats. */
  retry_of: string | null
  /** Parked (a vendor's limit): not dispatched until the limit is over, and then only if a person said so. */
  not_before: Instant | null
  asked_by: string
  /** Numbers of events of the stream it is told in: asked for, begun, over. */
  asked_seq: number
  started_seq: number | null
  ended_seq: number | null
  created_at: Instant
  started_at: Instant | null
  ended_at: Instant | null
  cancel_ordered_at: Instant | null
  cancel_request_id: string | null
  /** Who asked for it to be stopped. */
  cancel_by: string | null
  /** CX9: a person lets it begin beside another that runs in the same folder. */
  begins_beside: number
}

/** What came of a turn, in order: text, thoughts, tool calls, plan; written in the commit that ends it. */
export interface TurnItemsTable {
  turn_id: string
  n: number
  kind: string
  /** JSON. */
  body: string
}

/** What an agent knows of one conversation: its own ACP session, or the pulling agent's session. */
export interface ContextsTable {
  id: string
  agent_id: string
  project_id: string
  conversation_key: string
  /** The conversation whose context asked (between agents); empty otherwise. */
  origin_key: string
  /** The generation of the conversation it knows. */
  generation: number
  state: ContextState
  launch_id: string | null
  agent_session_id: string | null
  acp_session_id: string | null
  created_at: Instant
  opened_at: Instant | null
  how: HowOpened | null
  not_restored: string | null
  /** It was told its primer or, when it was brought back, the news, since it was opened last. */
  primed_at: Instant | null
  /** The newest message of the conversation it was told. */
  told_through: number
  decisions_told_at: Instant | null
  /** How often in a row it was up and useless (0 to 3). */
  trouble: number
  /** AG6: at its vendor's limit, met by this turn; who said that it goes on by itself, and how often it still does. */
  limited_until: Instant | null
  limited_turn_id: string | null
  goes_on_by: string | null
  goes_on_left: number
  ended_at: Instant | null
  end_reason: string | null
}

export interface TurnTables {
  turns: TurnsTable
  turn_items: TurnItemsTable
  contexts: ContextsTable
}
