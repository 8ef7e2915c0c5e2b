/** AG14: what the agent of a chat offers and what people chose of it. Existing chats report it when they are next opened. */
import type { Migration } from './migration.ts'

export const contextOffers: Migration = {
  version: 37,
  name: 'context-offers',
  statements: ({ text }) => [`alter table contexts add column offers ${text}`],
}
