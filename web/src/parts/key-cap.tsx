/** The key that does what a button does, on the button; said to nobody who does not see it. */
export const KeyCap = ({ name }: { name: string }) => (
  <span aria-hidden="true" className="press-key">
    {name}
  </span>
)
