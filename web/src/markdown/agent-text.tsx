/** Shows the text of an agent: as Markdown once the renderer is loaded, as plain text until then. */
import { useEffect, useState } from 'react'
import { loadOnce } from '../lazy-route.tsx'
import type { Markdown } from './markdown.tsx'

const load = loadOnce(() => import('./markdown.tsx'))
let known: typeof Markdown | undefined

/** Fetched when the first answer is shown. Where other heights than before would move what is read, it is waited for. */
export async function loadMarkdown(): Promise<void> {
  known ??= (await load()).Markdown
}

export function AgentText({ text }: { text: string }) {
  const [, setHere] = useState(known !== undefined)
  useEffect(() => {
    // Without it the text is shown as it is.
    if (!known)
      void loadMarkdown().then(
        () => setHere(true),
        () => {},
      )
  }, [])
  const Shown = known
  return Shown ? <Shown text={text} /> : <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
}
