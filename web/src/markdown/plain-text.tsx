/** Sentences as they were written, where they are not Markdown or cannot be read as such. */
import { prose } from '../jsx/jsx-runtime.ts'

export const PlainText = ({ text }: { text: string }) => (
  <p className="whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto">
    {prose(text)}
  </p>
)
