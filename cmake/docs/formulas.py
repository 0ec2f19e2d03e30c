"""Sets the formulas of comments in LaTeX. Comments are plain text: Phi_i . I^C Phi_j, dM/dt, C^T, dtau_dq."""
import re

GREEK = ("Alpha alpha Beta beta Gamma gamma Delta delta epsilon zeta eta theta Lambda lambda mu nu xi Pi pi rho Sigma "
         "sigma tau Phi phi Psi psi chi Omega omega").split()
WORDS = {"Gamma": r"\Gamma", "nabla": r"\nabla", "sum": r"\sum", "sqrt": r"\sqrt", "exp": r"\exp", "log": r"\log",
         "cos": r"\cos", "sin": r"\sin", "min": r"\min", "max": r"\max", "inf": r"\infty", **{g: "\\" + g for g in GREEK},
         "Lambda": r"\Lambda", "chi": r"\chi", "ring": r"\mathring{S}"}
SYMBOLS = {"<=": r"\le ", ">=": r"\ge ", "->": r"\to ", "<-": r"\leftarrow ", "+-": r"\pm ", "(+)": r"\oplus ",
           "*": r"\,", "|": "|", "<": "<", ">": ">", "%": r"\%", "&": r"\&", "#": r"\#"}
TOKEN = re.compile(r"\^-T|\^-1|\^\{?\w+\}?|xbar\*|x\*|\(\+\)|<=|>=|->|<-|\+-|\s+|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*|\d+(?:\.\d+)?|.")


def letter(word):
    """Returns a letter, or the name of one, with its accents and indices in LaTeX."""
    accents = []
    head, *indices = word.split("_")
    for accent in ("dot", "ddot"):
        if accent in indices:
            indices.remove(accent)
            accents.append(accent)
    for end, accent in (("ddot", "ddot"), ("dot", "dot"), ("bar", "bar")):
        if len(head) > len(end) and head.endswith(end):
            head = head[:-len(end)]
            accents.append(accent)
    digits = re.fullmatch(r"([A-Za-z]+?)(\d+)", head)
    if digits:
        head, number = digits.groups()
        indices.insert(0, number)
    if head in WORDS:
        text = WORDS[head]
    elif len(head) == 1 or re.fullmatch(r"[xyz]{2}", head):
        text = head
    elif re.fullmatch(r"d\w", head) or (head.startswith("d") and head[1:] in WORDS):
        text = r"\mathrm{d}" + letter(head[1:])
    else:
        return None
    for accent in accents:
        text = rf"\{accent}{{{text}}}"
    if indices:
        inner = [WORDS.get(i, i if len(i) <= 2 else rf"\mathrm{{{i}}}") for i in indices]
        text += "_{" + ",".join(inner) + "}"
    return text


def ratio(word):
    """Returns dtau_dq or da_dv as a partial derivative in LaTeX, and None for other words."""
    found = re.fullmatch(r"d([A-Za-z]\w*?)_d([A-Za-z]\w*)", word)
    if not found or letter(found.group(1)) is None or letter(found.group(2)) is None:
        return None
    return rf"\frac{{\partial {letter(found.group(1))}}}{{\partial {letter(found.group(2))}}}"


def latex(formula):
    """Returns a line of formulas in LaTeX, with the words between them set upright."""
    formula = re.sub(r"\bd\(([^()]+)\)/d([a-z])", lambda m: rf"\frac{{\partial ({latex(m.group(1))})}}{{\partial {m.group(2)}}}" + "\0",
                     formula)
    formula = re.sub(r"\bd(2?)\(?([A-Za-z]\w*(?: [A-Z])?)\)?/d([a-z])(2?)\b",
                     lambda m: "\\frac{\\mathrm{d}" + ("^2" if m.group(1) else "") + " " +
                     " ".join(letter(x) or x for x in m.group(2).split()) + "}{\\mathrm{d}" + m.group(3) +
                     ("^2" if m.group(1) else "") + "}\0", formula)
    out, text = [], []

    def end_text():
        if text:
            out.append(r"\text{ " + " ".join(text) + " }")
            text.clear()

    for part in re.split(r"(\\frac\{[^\0]*\0)", formula):
        if part.startswith("\\frac"):
            end_text()
            out.append(part[:-1] + " ")
            continue
        tokens = TOKEN.findall(part)
        for at, token in enumerate(tokens):
            around = (at > 0 and tokens[at - 1].isspace(), at + 1 < len(tokens) and tokens[at + 1].isspace())
            if token.isspace():
                if len(token) > 1 and not text:
                    out.append(r"\quad ")
                continue
            if re.match(r"[A-Za-z]", token):
                is_name = at + 1 < len(tokens) and tokens[at + 1] == "(" and len(token) > 2
                operator = {"x*": r"\times^{*} ", "xbar*": r"\,\bar{\times}^{*} "}.get(token)
                if operator is None and token == "x" and all(around) and at + 2 < len(tokens) and tokens[at + 2] not in "+-=,;:/)":
                    operator = r"\times "
                set_word = operator or ratio(token) or letter(token)
                head, _, index = token.partition("_")
                if set_word is None and (is_name or (index and len(index) == 1)):
                    plain = head if len(index) == 1 else token.replace("_", r"\_")
                    set_word = rf"\mathrm{{{plain}}}" + ("_{" + index + "}" if len(index) == 1 else "")
                if set_word is None or (text and len(token) > 1 and token.islower() and token not in WORDS) or token == "a" and text:
                    text.append(token.replace("_", r"\_"))
                    continue
                end_text()
                out.append(set_word + " ")
                continue
            if text and token in "',;:":
                text[-1] += token
                continue
            end_text()
            if token.startswith("^"):
                power = token[1:].strip("{}")
                out.append("^{" + {"T": r"\top", "-T": r"-\top"}.get(power, power) + "}")
            elif token == "+-" and not all(around):
                out.append("^{+}-")
            elif token == "." and all(around):
                out.append(r"\cdot ")
            elif token == "{" or token == "}":
                out.append("\\" + token)
            elif token == "_":
                out.append(r"\_")
            else:
                out.append(SYMBOLS.get(token, token))
        end_text()
    return "".join(out)


SYMBOL = re.compile(r"(?<!kg )(?<![\w/.:&;<-])(" + "|".join(GREEK) + r"|[A-Za-z])(?:_([a-z0-9]))?(?:\^(-?[A-Z0-9]\*?|-T))?(?![\w(:/^'*-]|[.,]\w)")


def inline(sentence):
    """Returns a sentence in Markdown with its symbols set, such as M^-1 tau, Phi_i, C^T v. Single letters stay as they are."""
    def symbol(found):
        name, index, power = found.groups()
        if name not in GREEK and not index and not power:
            return found.group(0)
        return ((f"&{name};" if name in GREEK else f"<em>{name}</em>") + (f"<sub>{index}</sub>" if index else "") +
                (f"<sup>{power}</sup>" if power else ""))
    parts = re.split(r"(`[^`]*`|\[[^\]]*\]\([^)]*\))", sentence)
    return "".join(p if i % 2 else SYMBOL.sub(symbol, p) for i, p in enumerate(parts))
