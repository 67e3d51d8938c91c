/**
 * What a query costs: every value that its answer may hold counts 1, lists as often as they have entries at most, and what
 * has to be searched or is long counts more. The schema says it (`@cost`, `@listSize`), so that it is made out from the
 * query and its variables alone, before anything is read. Conditions (`@skip`, `@include`) do not make a query cheaper.
 */
import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNullableType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from "graphql"
import type { Scope } from "../../access/principal.ts"

export interface Asking {
  cost: number
  /** Levels of selections, and of those inside of `__schema` and `__type`. */
  depth: number
  introspectionDepth: number
  /** Of all fields. */
  scopes: ReadonlySet<Scope>
}

/** What the schema says of a field. */
interface FieldRule {
  weight: number | undefined
  scope: Scope | undefined
  slicing: readonly string[]
  sized: ReadonlySet<string>
  assumed: number | undefined
}

type Variables = Readonly<Record<string, unknown>>

/** Of a list whose length nobody can tell. */
const UNKNOWN_LENGTH = 1_000

export class Costs {
  private readonly rules = new Map<GraphQLField<unknown, unknown>, FieldRule>()
  /** Mean lengths of the lists that the schema tells of itself by: with all of its types they add up to what there is. */
  private readonly introspected: Readonly<Record<string, number>>

  constructor(private readonly schema: GraphQLSchema) {
    this.introspected = introspectedLists(schema)
  }

  /** Of one operation of a valid document. @param variables as they were given */
  of(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): Asking {
    const fragments = new Map(
      document.definitions.flatMap(each => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
    )
    const walk = new Walk(this, this.schema, fragments, defaultsOf(operation, variables))
    return walk.of(operation.selectionSet)
  }

  ruleOf(field: GraphQLField<unknown, unknown>): FieldRule {
    const rule = this.rules.get(field) ?? readRule(field.astNode?.directives)
    this.rules.set(field, rule)
    return rule
  }

  /** Of the type's `@cost`; 1 where it has none. */
  weightOf(type: GraphQLNamedType): number {
    return Number(directive(type.astNode?.directives, "cost")?.weight ?? 1)
  }

  introspectedLength(field: string): number {
    return this.introspected[field] ?? 1
  }
}

interface Found {
  cost: number
  depth: number
  introspectionDepth: number
}

/** How long the lists of an object are whose length an argument around it says. */
interface Sized {
  names: ReadonlySet<string>
  length: number
}

/** One walk over a query. */
class Walk {
  private readonly known = new Map<string, Found>()
  private readonly scopes = new Set<Scope>()

  constructor(
    private readonly costs: Costs,
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Variables,
  ) {}

  of(selections: SelectionSetNode): Asking {
    const { cost, ...depths } = this.selections(selections, this.schema.getQueryType()!, undefined)
    return { ...depths, cost: Math.ceil(cost), scopes: this.scopes }
  }

  private selections({ selections }: SelectionSetNode, type: GraphQLNamedType, sized: Sized | undefined): Found {
    const all: Found = { cost: 0, depth: 1, introspectionDepth: 0 }
    for (const selection of selections) {
      const found =
        selection.kind === Kind.FIELD
          ? this.field(selection, type, sized)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.selections(selection.selectionSet, this.typeOf(selection.typeCondition?.name.value) ?? type, sized)
            : this.fragment(selection.name.value, sized)
      all.cost += found.cost
      all.depth = Math.max(all.depth, found.depth)
      all.introspectionDepth = Math.max(all.introspectionDepth, found.introspectionDepth)
    }
    return all
  }

  /** Spread anywhere it costs the same, but for lists whose length is said around it: each is looked at once. */
  private fragment(name: string, sized: Sized | undefined): Found {
    const fragment = this.fragments.get(name)!
    const key = `${name} ${sized?.length}`
    let found = this.known.get(key)
    if (!found) {
      found = this.selections(fragment.selectionSet, this.typeOf(fragment.typeCondition.name.value)!, sized)
      this.known.set(key, found)
    }
    return found
  }

  private field(node: FieldNode, parent: GraphQLNamedType, sized: Sized | undefined): Found {
    const field = this.definitionOf(node.name.value, parent)
    if (!field) return { cost: 1, depth: 1, introspectionDepth: 0 } // __typename
    const rule = this.costs.ruleOf(field)
    if (rule.scope) this.scopes.add(rule.scope)
    const type = getNamedType(field.type)
    const slice = rule.slicing.length > 0 ? this.slice(node, field, rule.slicing) : undefined
    const isList = isListType(isNullableType(field.type) ? field.type : field.type.ofType)
    const times = !isList ? 1 : this.lengthOf(field, parent, { sized, slice, rule })
    const inner = slice !== undefined && rule.sized.size > 0 ? { names: rule.sized, length: slice } : undefined
    const below = node.selectionSet ? this.selections(node.selectionSet, type, inner) : undefined
    const cost = (rule.weight ?? 0) + times * (this.costs.weightOf(type) + (below?.cost ?? 0))
    if (isIntrospectionType(type) || isIntrospectionType(parent))
      return { cost, depth: 1, introspectionDepth: (below?.introspectionDepth ?? 0) + 1 }
    return { cost, depth: (below?.depth ?? 0) + 1, introspectionDepth: below?.introspectionDepth ?? 0 }
  }

  private lengthOf(
    { name }: GraphQLField<unknown, unknown>,
    parent: GraphQLNamedType,
    {
      sized,
      slice,
      rule,
    }: {
      sized: Sized | undefined
      slice: number | undefined
      rule: FieldRule
    },
  ): number {
    if (isIntrospectionType(parent)) return this.costs.introspectedLength(name)
    if (sized?.names.has(name)) return sized.length
    return slice ?? rule.assumed ?? UNKNOWN_LENGTH
  }

  /** The value of the argument that says how many entries are asked for. */
  private slice(node: FieldNode, field: GraphQLField<unknown, unknown>, names: readonly string[]): number {
    const given = names.map(name => {
      const argument: ArgumentNode | undefined = node.arguments?.find(each => each.name.value === name)
      const value = argument && valueFromASTUntyped(argument.value, this.variables as Record<string, unknown>)
      const fallback = field.args.find(each => each.name === name)?.default?.literal
      return value ?? (fallback && valueFromASTUntyped(fallback))
    })
    const number = given.find(value => value !== undefined && value !== null)
    return typeof number === "number" ? Math.max(0, number) : UNKNOWN_LENGTH
  }

  private definitionOf(name: string, parent: GraphQLNamedType): GraphQLField<unknown, unknown> | undefined {
    if (parent === this.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  }

  private typeOf(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.schema.getType(name)
  }
}

/** Variables with the defaults of those that were not given. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  )
  return { ...Object.fromEntries(defaults), ...given }
}

function readRule(directives: readonly DirectiveNode[] | undefined): FieldRule {
  const list = directive(directives, "listSize")
  return {
    weight: directive(directives, "cost")?.weight as number | undefined,
    scope: directive(directives, "scope")?.name as Scope | undefined,
    slicing: (list?.slicingArguments as string[] | undefined) ?? [],
    sized: new Set(list?.sizedFields as string[] | undefined),
    assumed: list?.assumedSize as number | undefined,
  }
}

/** Its arguments. */
function directive(
  directives: readonly DirectiveNode[] | undefined,
  name: string,
): Record<string, unknown> | undefined {
  const found = directives?.find(each => each.name.value === name)
  return found && Object.fromEntries(found.arguments!.map(each => [each.name.value, valueFromASTUntyped(each.value)]))
}

function introspectedLists(schema: GraphQLSchema): Record<string, number> {
  const types = Object.values(schema.getTypeMap())
  const fields = types.flatMap(type => (isObjectType(type) ? Object.values(type.getFields()) : []))
  const values = types.flatMap(type => ("getValues" in type ? type.getValues() : []))
  const directives = schema.getDirectives()
  const argumentsOf = [...fields, ...directives].reduce((sum, { args }) => sum + args.length, 0)
  return {
    types: types.length,
    directives: directives.length,
    fields: fields.length / types.length,
    enumValues: values.length / types.length,
    args: argumentsOf / (fields.length + directives.length),
    locations: 3,
    // Nothing of the schema has them.
    inputFields: 0.1,
    interfaces: 0.1,
    possibleTypes: 0.1,
  }
}
