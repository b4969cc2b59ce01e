"""Draw problems of a family, and judge replies to them."""

import puzzlemill as pm

items = pm.generate("countdown", level=0.3, seed=7, n=3)
for item in items:
    print(item.prompt, "\n")
    right = pm.check(item, f"<answer>{item.answer}</answer>")
    wrong = pm.check(item, "<answer>1 + 1</answer>")
    print(f"gold: {item.answer}  score {right.score}; another: {wrong.status}\n")

again = pm.item(items[0].address, level=0.3)
print("The address alone gives the same problem:", again == items[0])
