/**
 * Which instance of a coordinator is current (CO6). The epoch is raised when another instance takes
 * over. A replaced instance is refused, and must end its processes before it registers again. Pure.
 *
 *   greets             │ not known │ the same instance      │ another instance
 *   ───────────────────┼───────────┼────────────────────────┼─────────────────
 *   without an epoch   │ a new one │ its own: the welcome   │ a higher one
 *                      │           │ was lost on its way    │
 *   with an older one  │           │ fenced                 │ fenced
 *   with the newest    │           │ its own                │ a higher one
 *   with a newer one   │ higher    │ that one: the database │ a higher one
 *                      │           │ is an older copy       │
 */
export interface Greeting {
  readonly instance: string
  /** The epoch it was given; null at its first registration. */
  readonly epoch: number | null
}

export interface KnownCoordinator {
  readonly instance: string | null
  readonly epoch: number
}

export type GreetingAnswer =
  | { readonly outcome: 'welcome'; readonly epoch: number; readonly successor: boolean }
  | { readonly outcome: 'fenced'; readonly epoch: number }

export function answerGreeting(
  { instance, epoch }: Greeting,
  coordinator: KnownCoordinator | null,
): GreetingAnswer {
  const current = coordinator?.epoch ?? 0
  if (coordinator?.instance != null && epoch !== null && epoch < current)
    return { outcome: 'fenced', epoch: current }
  if (coordinator?.instance === instance)
    return { outcome: 'welcome', epoch: epoch ?? current, successor: false }
  return { outcome: 'welcome', epoch: Math.max(current, epoch ?? 0) + 1, successor: true }
}
