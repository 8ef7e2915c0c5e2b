/**
 * Lessons of the demo agent (AR1): some directives end the process. It records one before it runs it in a task; when it resumes
 * the task it is told, and skips it. Pure.
 */
const deadly = /\[\[(?:crash|hang)\]\]/g

export interface Lesson {
  readonly id: string
  readonly description: string
}

export const describe = (directive: string): string => `Obeying ${directive}`

/** Returns each dangerous directive of the text once. */
export const dangersIn = (text: string): string[] => [...new Set(text.match(deadly) ?? [])]

/** Returns the text without directives known to fail, and the ids of the lessons used. */
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
