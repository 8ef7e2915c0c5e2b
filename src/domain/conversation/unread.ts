/** Who has to read a message (NA7, CH2). Pure. */

/** The receiver, or all of the project's agents but the sender; nobody if it is hidden. */
export function unreadFor(
  message: { readonly senderId: string; readonly receiverId: string | null; readonly visible: boolean },
  agentIds: readonly string[],
): string[] {
  if (!message.visible) return []
  return agentIds.filter((id) => id !== message.senderId && (message.receiverId === null || message.receiverId === id))
}
