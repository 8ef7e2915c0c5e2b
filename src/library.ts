/** What `import … from 'holdfast'` gives other programs (LB1): the typed client and its live event stream. */
export { type Client, type ClientOptions, createClient, ProblemError, UnreachableError } from './client/client.ts'
export { watchEvents } from './client/event-stream.ts'
export type { Agent } from './protocol/agent.ts'
export type { HoldfastEvent } from './protocol/events.ts'
export type { Problem } from './protocol/problem.ts'
export type { Project } from './protocol/project.ts'
