/**
 * How long a chat panel counts as open (CH5): while it is seen, and a minute more. A panel without
 * a name cannot be seen, so it stays open until the chat ends. A page that disconnects may be
 * reloading, so its panels stay a moment.
 */
import { type Instant, later } from '../instant.ts'

/** The name of all panels that gave none. */
export const unnamedPanel = ''

const unseenAtMostMs = 60_000
/** Time for a disconnected page to come back. */
const leavingMs = 10_000

const forEver: Instant = '9999-12-31T23:59:59.999Z'

export const seenAtOpening = (now: Instant, panelId: string): Instant =>
  panelId === unnamedPanel ? forEver : now

/** The "last seen" time that lets a panel expire after that. */
export const seenAtLeaving = (now: Instant): Instant => later(now, leavingMs - unseenAtMostMs)

/** Panels last seen at or before this time count as closed. */
export const closedUntil = (now: Instant): Instant => later(now, -unseenAtMostMs)
