/**
 * What the demo agent learns (AR1): some directives end the process that obeys them. Before it obeys one in a task it says so, and when
 * it takes the task up again it is told, and leaves it out. Pure.
 */
const deadly = /\[\[(?:crash|hang)\]\]/g

export interface Lesson {
  readonly id: string
  readonly description: string
}

export const describe = (directive: string): string => `Obeying ${directive}`

/** Each directive of the text that would end it, once. */
export const dangersIn = (text: string): string[] => [...new Set(text.match(deadly) ?? [])]

/** The text without what is known to fail, and the ids of what told so. */
export function heeding(text: string, lessons: readonly Lesson[]): { readonly text: string; readonly heeded: string[] } {
  const heeded: string[] = []
  const left = text.replaceAll(deadly, (directive) => {
    const lesson = lessons.find(({ description }) => description === describe(directive))
    if (!lesson) return directive
    heeded.push(lesson.id)
    return ''
  })
  return { text: left.trim(), heeded: [...new Set(heeded)] }
}
