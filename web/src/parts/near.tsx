/**
 * Rows that are drawn only near what is in sight: the others are empty and as high as they were. So
 * a list of any length costs what the screen shows. One observer serves all rows of a scrolling
 * box.
 */
import {
  createContext,
  type LiHTMLAttributes,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'

/** How far out of sight rows are drawn: about one screen. */
const margin = '900px 0px'

type OnNear = (isNear: boolean, height: number) => void

class Nearness {
  readonly #rows = new Map<Element, OnNear>()
  #observer: IntersectionObserver | undefined

  start(root: Element): () => void {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, boundingClientRect } of entries)
          this.#rows.get(target)?.(isIntersecting, boundingClientRect.height)
      },
      { root, rootMargin: margin },
    )
    this.#observer = observer
    for (const row of this.#rows.keys()) observer.observe(row)
    return () => observer.disconnect()
  }

  watch(row: Element, onNear: OnNear): () => void {
    this.#rows.set(row, onNear)
    this.#observer?.observe(row)
    return () => {
      this.#rows.delete(row)
      this.#observer?.unobserve(row)
    }
  }
}

const NearnessContext = createContext<Nearness | undefined>(undefined)

/** Around the rows of the scrolling box. */
export function NearRows({
  root,
  children,
}: {
  root: RefObject<HTMLElement | null>
  children: ReactNode
}) {
  const [nearness] = useState(() => new Nearness())
  useEffect(() => (root.current ? nearness.start(root.current) : undefined), [nearness, root])
  return <NearnessContext value={nearness}>{children}</NearnessContext>
}

interface NearRowProps extends LiHTMLAttributes<HTMLLIElement> {
  /** Drawn from the beginning: it is likely to be in sight. */
  readonly first: boolean
  /** Drawn always: it changes. */
  readonly always?: boolean
  /** The height until it was drawn, in pixels. */
  readonly guess: number
}

export function NearRow({ first, always = false, guess, children, ...rest }: NearRowProps) {
  const nearness = useContext(NearnessContext)
  const row = useRef<HTMLLIElement>(null)
  const height = useRef(guess)
  const [near, setNear] = useState(first || nearness === undefined)
  useEffect(() => {
    if (always || !row.current) return
    return nearness?.watch(row.current, (isNear, measured) => {
      if (!isNear && measured > 0) height.current = measured
      setNear(isNear)
    })
  }, [nearness, always])
  const isDrawn = near || always
  return (
    <li ref={row} {...rest} {...(!isDrawn && { style: { height: height.current } })}>
      {isDrawn && children}
    </li>
  )
}
