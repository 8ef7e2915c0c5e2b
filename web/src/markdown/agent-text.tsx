/**
 * Shows the text of an agent: as Markdown once the renderer is loaded, as plain text until then,
 * and where it cannot be rendered.
 */
import { Component, type ReactNode, useEffect, useState } from 'react'
import { loadOnce } from '../lazy-route.tsx'
import type { Markdown } from './markdown.tsx'
import { PlainText } from './plain-text.tsx'

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
  if (!Shown) return <PlainText text={text} />
  return (
    <Rendered text={text}>
      <Shown text={text} />
    </Rendered>
  )
}

interface RenderedProps {
  readonly text: string
  readonly children: ReactNode
}

interface RenderedState {
  readonly failed?: string
}

/**
 * Ends with the text itself what fails while it is rendered, so that the rest of the page stays.
 */
class Rendered extends Component<RenderedProps, RenderedState> {
  override state: RenderedState = {}

  static getDerivedStateFromError(): RenderedState {
    return { failed: '' }
  }

  override componentDidCatch(): void {
    this.setState({ failed: this.props.text })
  }

  override render(): ReactNode {
    const { failed } = this.state
    const { text, children } = this.props
    return failed === undefined || (failed !== '' && failed !== text) ? (
      children
    ) : (
      <PlainText text={text} />
    )
  }
}
