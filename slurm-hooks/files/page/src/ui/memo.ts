// A component that is rendered again only when a property changes.
import {
  Component,
  type ComponentChild,
  type FunctionComponent,
  h,
} from "preact";

export function memo<Props extends object>(
  inner: FunctionComponent<Props>,
  ignored: readonly (keyof Props & string)[] = [],
): new (props: Props) => Component<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const keys = Object.keys(next) as (keyof Props & string)[];
      return keys.some(
        (key) => !ignored.includes(key) && next[key] !== this.props[key],
      );
    }

    override render(): ComponentChild {
      return h(inner, this.props as Props & { key?: never });
    }
  };
}
