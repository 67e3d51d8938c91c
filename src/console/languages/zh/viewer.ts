import type { Same } from "../catalogue.ts"
import type { viewer as german } from "../de/viewer.ts"

export const viewer: Same<typeof german> = {
  "Copy the code": "复制代码",
  Document: "文档",
  "Extracted text": "提取的文本",
  "Go to page": "转到页面",
  "Go to slide": "转到幻灯片",
  "Loading the document …": "正在加载文档…",
  "Next mark": "下一个标记",
  "Next slide": "下一张幻灯片",
  "of {total}": "共 {total}",
  "Page {page} of {name}": "{name} 第 {page} 页",
  "Parts of the document": "文档的各部分",
  "Previous mark": "上一个标记",
  "Previous slide": "上一张幻灯片",
  Rows: "行",
  "Search in the document": "在文档中搜索",
  "Sheet {name}": "工作表 {name}",
  "Show what comes before": "显示前面的内容",
  "Show what follows": "显示后面的内容",
  "Source {number}": "来源 {number}",
  "This document has been deleted, or you may not see it.": "此文档已被删除，或您无权查看。",
  "This value was replaced before the model saw it": "此值在模型看到之前已被替换",
}
