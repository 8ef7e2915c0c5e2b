/** How urgent a message is (CH6). Pure. */

/** From the least to the most urgent. */
export const priorities = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

/** A number that grows with urgency, for rows and indexes. */
export const rankOf = (priority: Priority): number => priorities.indexOf(priority)
