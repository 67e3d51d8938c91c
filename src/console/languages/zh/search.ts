import type { Same } from "../catalogue.ts"
import type { search as german } from "../de/search.ts"

export const search: Same<typeof german> = {
  "Any time": "不限时间",
  "Any type": "任何类型",
  "By file": "按文件",
  Contexts: "上下文",
  "Did you mean <meant/>?": "您是不是要找 <meant/>？",
  Explain: "解释",
  "{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.":
    "正在索引 {files, plural, other {# 个文件}}：请稍后再次搜索。",
  "{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.":
    "可搜索 {files, plural, other {# 个文件}}。请换用其他词，或减少词数。",
  "{files, plural, one {# file} other {# files}} still being indexed": "{files, plural, other {# 个文件}}仍在索引",
  "Go to the library": "前往资料库",
  "How likely this passage answers the query: of those at 50 %, about half do":
    "该段落回答查询的可能性：在 50% 的段落中，约一半能回答",
  Hybrid: "混合",
  Keyword: "关键词",
  "Keyword search matches words as written, semantic search what they mean. Hybrid uses both.":
    "关键词搜索按字面匹配，语义搜索按含义匹配。混合搜索两者并用。",
  "Last day": "最近一天",
  "Last month": "最近一个月",
  "Last week": "最近一周",
  "Last year": "最近一年",
  "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.":
    "{total} 个段落中已有 {done} 个的含义完全得出：其余仍在计算，顺序可能还会变化。",
  Mode: "模式",
  "More of this file": "此文件的更多内容",
  "Near the query, but unlikely to answer it.": "与查询相近，但不太可能回答它。",
  "No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>":
    "没有文件包含 <words/>。还搜索了 <tried/>。<only>仅按字面搜索</only>",
  "no match": "无匹配",
  "Not reranked: there was no time for it, or the model is off.": "未重新排序：时间不足，或模型已关闭。",
  "Nothing found": "未找到任何内容",
  "Nothing to search yet": "还没有可搜索的内容",
  "Open the passage": "打开段落",
  "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{files, plural, other {# 个文件}}中的 {passages, plural, other {# 个段落}}，{time}",
  "{passages, plural, one {# passage} other {# passages}}, {time}": "{passages, plural, other {# 个段落}}，{time}",
  "rank {rank}, score {score}": "排名 {rank}，得分 {score}",
  Relevance: "相关度",
  Rerank: "重新排序",
  "Search again": "再次搜索",
  "Search for similar words too": "同时搜索相近的词",
  "Search the library": "搜索资料库",
  "Search without the filters": "不使用筛选条件搜索",
  Semantic: "语义",
  "Show more": "显示更多",
  "<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.":
    "<slash/> 回到此处，<down/> 和 <up/> 在结果间移动，<enter/> 打开。",
  "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{files, plural, other {# 个文件}}中最佳的 {passages, plural, other {# 个段落}}，{time}",
  "The best {passages, plural, one {# passage} other {# passages}}, {time}":
    "最佳的 {passages, plural, other {# 个段落}}，{time}",
  "The embedding model is not available or does not know the words of the query: these results come from keywords only.":
    "嵌入模型不可用，或不认识查询中的词：以下结果仅来自关键词。",
  "The library is empty.": "资料库是空的。",
  Types: "类型",
  "under {value} %": "低于 {value}%",
  "{value} %": "{value}%",
  "Weak matches": "弱匹配",
  "What are you looking for?": "您要找什么？",
  "What the files are": "文件的类别",
  "Words were searched for exactly as they are written.": "已完全按字面搜索各词。",
}
