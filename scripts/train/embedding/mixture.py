"""What the model is trained on: which sources form one group, and how often each group is drawn.

A source that the folder holds and that no group names joins the group "other", so a maintainer can add text
by putting one more `<name>.jsonl.zst` (lines of `[query-like, passage]`) beside the rest.
"""

from dataclasses import dataclass

BUSINESS = ("ox_business_ethics", "ox_entrepreneurship", "ox_introduction_business",
            "ox_introduction_intellectual_property", "ox_principles_economics_bundle", "ox_principles_finance",
            "ox_principles_marketing", "ox_workplace_software_skills")
SOCIETY = ("ox_american_government", "ox_college_success_bundle", "ox_introduction_anthropology",
           "ox_introduction_philosophy", "ox_introduction_political_science", "ox_introduction_sociology",
           "ox_psychology", "ox_us_history", "ox_world_history", "ox_writing_guide")
GOVERNMENT = ("us_digitalgov", "us_18f_site", "us_section508", "us_18f_handbook", "us_smartpay",
              "uk_smart_answers", "uk_design_system")
HANDBOOKS = ("hb_sourcegraph", "hb_artsy", "us_18f_handbook")
SOFTWARE = ("postgres", "python_docs", "django", "pandas", "apache", "md_repos2")

# Not a file of the training folder: the phrases of office-thesaurus.txt.
THESAURUS = "thesaurus"


@dataclass(frozen=True)
class Group:
    sources: tuple[str, ...]
    # Relative number of batches. Science is held below a third: more of it adds nothing to office text.
    weight: float
    # Batches made of contiguous runs: neighbours are near in topic and act as hard negatives. Only where
    # neighbouring pairs are not cut from the same section (those would be false negatives).
    runs: bool = False
    # What is made of a pair: itself ("pair"), one sentence and the rest of the passage ("cloze"), or the pair with
    # a query in other words ("reworded").
    form: str = "pair"
    # Batches are this many neighbouring pairs; 0 for the usual batch.
    block: int = 0


GROUPS: dict[str, Group] = {
    "science": Group(("arxiv150k",), 4, runs=True),
    "science-cloze": Group(("arxiv150k",), 3, runs=True, form="cloze"),
    "medicine": Group(("medquad",), 1.5, runs=True),
    "dictionary": Group(("wordnet",), 2, runs=True),
    "jargon": Group(("jargon",), 0.15),
    "software": Group(SOFTWARE, 2),
    "business": Group(BUSINESS, 3),
    "society": Group(SOCIETY, 3),
    "nursing": Group(("ox_nursing_external_bundle",), 0.8),
    "government": Group(GOVERNMENT, 2),
    "handbooks": Group(HANDBOOKS, 1.2),
    "thesaurus": Group((THESAURUS,), 0.8, block=470),
    "reworded": Group((*BUSINESS, *GOVERNMENT, *HANDBOOKS), 3, form="reworded"),
}

# How much one occurrence of a word counts for the vocabulary, so that science abstracts do not swamp the rest.
COUNT_WEIGHT = {"arxiv150k": 1, "medquad": 6, "wordnet": 8, "jargon": 3, "ox_nursing_external_bundle": 2.5,
                "us_digitalgov": 2.5} | {name: 2 for name in SOFTWARE}
DEFAULT_COUNT_WEIGHT = 5

# Passages per source from which the start vectors are computed.
START_SAMPLE = {"arxiv150k": 60_000, "medquad": 20_000, "wordnet": 80_000}
DEFAULT_START_SAMPLE = 7_000


def groups_of(present: list[str]) -> dict[str, Group]:
    """The groups of the sources that are there, plus "other" for the sources that no group names."""
    chosen: dict[str, Group] = {}
    named = {source for group in GROUPS.values() for source in group.sources}
    for name, group in GROUPS.items():
        sources = tuple(source for source in group.sources if source in present or source == THESAURUS)
        if sources:
            chosen[name] = Group(sources, group.weight * len(sources) / len(group.sources), group.runs, group.form,
                                 group.block)
    rest = tuple(source for source in present if source not in named)
    if rest:
        chosen["other"] = Group(rest, 0.3 * len(rest))
    return chosen
