/** Which agents a message is unread for (NA7, CH2), and its priority (CH6). Pure. */

/** The receiver, or all of the project's agents but the sender; none if the message is hidden. */
export function unreadFor(
  message: { readonly senderId: string; readonly receiverId: string | null; readonly visible: boolean },
  agentIds: readonly string[],
): string[] {
  if (!message.visible) return []
  return agentIds.filter((id) => id !== message.senderId && (message.receiverId === null || message.receiverId === id))
}

/** From the least to the most urgent. */
export const priorities = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

/** A number that grows with urgency, for rows and indexes. */
export const rankOf = (priority: Priority): number => priorities.indexOf(priority)
