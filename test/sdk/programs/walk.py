from carrel import Carrel
from carrel.types import Hit


def walk(carrel: Carrel) -> str:
    answer = carrel.files.upload(b"The heron counts 41 boats.", name="python.txt")
    carrel.files.wait_until_searchable([file["id"] for file in answer["files"]])
    first: Hit = carrel.search("how many boats does the heron count?")["hits"][0]
    said = "".join(carrel.conversations.stream("How many boats does the heron count?").text())
    return first["text"] + " | " + said


if __name__ == "__main__":
    with Carrel() as carrel:
        print(walk(carrel))
