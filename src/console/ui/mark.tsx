import icon from "../icon.svg"

/** The sign of the product. */
export const Mark = () => <img class="mark" src={icon} alt="" width="28" height="28" />
