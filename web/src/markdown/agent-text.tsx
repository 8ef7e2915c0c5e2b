/** Shows the text of an agent: as Markdown once the renderer is loaded, as plain text until then. */
import { useEffect, useState } from 'react'
import { loadOnce } from '../lazy-route.tsx'
import type { Markdown } from './markdown.tsx'

const load = loadOnce(() => import('./markdown.tsx'))
let known: typeof Markdown | undefined

/** Loads the Markdown renderer. Lists that must know the height of their rows wait for it. */
export async function loadMarkdown(): Promise<void> {
  known ??= (await load()).Markdown
}

export function AgentText({ text }: { text: string }) {
  const [, setHere] = useState(known !== undefined)
  useEffect(() => {
    // Without the renderer the text is shown as it is.
    if (!known)
      void loadMarkdown().then(
        () => setHere(true),
        () => {},
      )
  }, [])
  const Shown = known
  return Shown ? <Shown text={text} /> : <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
}
